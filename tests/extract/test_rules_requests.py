"""What is asked to be remembered: wordings, kinds, limits, and the days that it names."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from nonebot_plugin_scoped_memory.engine.extract.checks import Rejection, check
from nonebot_plugin_scoped_memory.engine.extract.rules import match_rules
from nonebot_plugin_scoped_memory.engine.models import MAX_ITEM_CHARS
from nonebot_plugin_scoped_memory.engine.text import identity

from .making import BOT, BOTS, HONG, MING, SHANGHAI, turn
from .ruling import contents, rules

# --- what is asked to be remembered


@pytest.mark.parametrize(
    "text",
    [
        "记住我喜欢手冲咖啡",
        "记住我喜欢手冲咖啡。",
        "记住我喜欢手冲咖啡!",
        "记住：我喜欢手冲咖啡",
        "请记住，我喜欢手冲咖啡，谢谢",
        "帮我记一下我喜欢手冲咖啡好吗？",
        "能帮我记住我喜欢手冲咖啡吗",
        "你要记住我喜欢手冲咖啡哦",
        "记一下 我喜欢手冲咖啡",
        "别忘了我喜欢手冲咖啡",
        "小忆，记住我喜欢手冲咖啡～",
        "對了，幫我記住我喜欢手冲咖啡",
        "@小忆 记住我喜欢手冲咖啡",
        "记住用户喜欢手冲咖啡",
    ],
)
def test_case_16_every_wording_of_a_request_gives_the_same_item(text: str) -> None:
    (one,) = rules(text, mentions=((BOT, "小忆"),))
    assert identity(one.content, one.subject) == identity("小明（10001）喜欢手冲咖啡", MING)
    assert (one.kind, one.subject, one.explicit, one.confidence) == ("preference", MING, True, 0.95)
    assert (one.origin, one.evidence) == ("rule", (7,))


@pytest.mark.parametrize(
    ("text", "kind", "content", "subject", "key"),
    [
        ("记住我叫王小明", "fact", "小明（10001）叫王小明", MING, "name"),
        ("记住以后叫我老王", "preference", "小明（10001）希望被叫作老王", MING, "nickname"),
        ("记住我不吃香菜", "fact", "小明（10001）不吃香菜", MING, None),
        ("记住我喜欢猫，讨厌狗", "preference", "小明（10001）喜欢猫，讨厌狗", MING, None),
        ("记住我的猫叫豆豆", "fact", "小明（10001）的猫叫豆豆", MING, None),
        ("记住我妈喜欢喝茶", "fact", "小明（10001）的妈喜欢喝茶", MING, None),
        ("记住我有一辆自行车", "fact", "小明（10001）有一辆自行车", MING, None),
        ("记住我要吃素", "fact", "小明（10001）要吃素", MING, None),
        ("帮我记一下周五前要交报告", "task", "小明（10001）周五前要交报告", MING, None),
        ("别忘了带伞", "task", "小明（10001）要带伞", MING, None),
        ("please remember to buy milk", "task", "小明（10001）要 buy milk", MING, None),
        ("记住：\n1. 买牛奶\n2. 买面包", "task", "小明（10001）要 1. 买牛奶 2. 买面包", MING, None),
        ("记住我们决定周会改到周四", "decision", "决定：周会改到周四", "", None),
        ("记住以后都用 pnpm", "decision", "决定：以后都用 pnpm", "", None),
        ("记住不要在周五发布", "warning", "不要在周五发布", "", None),
        ("记一下：注意备份数据库", "warning", "注意备份数据库", "", None),
        ("记住服务器在东京", "fact", "据小明（10001）说，服务器在东京", "", None),
        ("记住小红喜欢猫", "fact", "据小明（10001）说，小红喜欢猫", "", None),
        ("别忘了小红生日", "fact", "据小明（10001）说，小红生日", "", None),
        ("记住小红说“我不吃辣”", "fact", "据小明（10001）说，小红说“我不吃辣”", "", None),
        ("remember that I like tea", "preference", "小明（10001）喜欢 tea", MING, "like:tea"),
        ("remember: I'm vegan", "fact", "小明（10001）的饮食是 vegan", MING, None),
        ("记住我喜欢猫哈哈", "preference", "小明（10001）喜欢猫", MING, "like:猫"),
        ("幫我記住我喜歡貓", "preference", "小明（10001）喜歡貓", MING, "like:猫"),
    ],
)
def test_kind_and_wording_follow_the_words(text: str, kind: str, content: str, subject: str, key: str | None) -> None:
    (one,) = rules(text)
    assert (one.kind, one.content, one.subject, one.key, one.explicit) == (kind, content, subject, key, True)


@pytest.mark.parametrize(
    "text",
    [
        "记住",
        "记住了",
        "记住了吗？",
        "记住没",
        "记住这个",
        "记住我",
        "记住我说的话",
        "记一下",
        "记录一下",
        "别记住",
        "不要记住我喜欢猫",
        "别记这个",
        "我会记住的",
        "我记得我喜欢猫",
        "你记住我喜欢什么了吗",
        "你还记得我喜欢猫吗",
        "记住我喜欢猫？",
        "如果我忘了，记住提醒我",
        "他说，记住我喜欢猫",
        "他说“记住我喜欢猫”",
        "记住你是猫娘",
        "记住他喜欢猫",
        "记住我喜欢加班，开玩笑的",
        "记住怎么部署写在 wiki 首页",
        "记性真好",
        "remember when we met",
        "I remember that I like tea",
        "remember me",
        "Remember that staying positive is important.",
        "Remember to stay positive",
        "please note that my mother may hear",
        "Way to go, remember, failures help",
        "记住 [图片]",
        "记住：[图片][表情:捂脸]",
    ],
)
def test_no_request(text: str) -> None:
    assert contents(text) == []


def test_a_request_covers_its_sentence_and_after_a_colon_the_rest() -> None:
    assert contents("我叫小明。记住我喜欢猫。今天天气好") == ["小明（10001）叫小明", "小明（10001）喜欢猫"]
    assert contents("记住：服务器在东京。备份在大阪") == ["据小明（10001）说，服务器在东京。备份在大阪"]


def test_a_mentioned_member_is_named_in_what_is_remembered() -> None:
    assert contents("记住 @小红 喜欢猫", mentions=((HONG, "小红"),)) == ["据小明（10001）说，小红（10002） 喜欢猫"]


def test_a_request_to_another_member_is_theirs() -> None:
    said = turn(1, "@小红 记住带伞", mentions=((HONG, "小红"),))
    assert match_rules(said, bots=BOTS) == []
    assert len(match_rules(turn(1, "@小忆 @小红 记住带伞", mentions=((BOT, "小忆"), (HONG, "小红"))), bots=BOTS)) == 1


def test_a_secret_comes_out_only_where_it_was_asked_for_and_is_then_refused() -> None:
    assert contents("我喜欢 密码是 hunter2") == []
    said = turn(7, "记住密码是 hunter2")
    (one,) = match_rules(said)
    assert check(one, {7: said}, bots=BOTS) == Rejection("secret")


def test_long_messages_teach_only_what_they_ask_to_remember() -> None:
    tail = "。" + "长文" * 300
    assert contents("我喜欢猫" + tail) == []
    assert len(contents("记住我喜欢猫" + tail)) == 1
    asked = "记住：" + "长" * (MAX_ITEM_CHARS - 20)
    assert len(contents(asked)) == 1
    assert contents("记住：" + "长" * (MAX_ITEM_CHARS + 1)) == []


# --- days


@pytest.mark.parametrize(
    ("said_at", "day"),
    [
        (datetime(2026, 11, 30, 15, 59, tzinfo=timezone.utc), "2026-12-01"),  # 23:59 in Shanghai
        (datetime(2026, 11, 30, 16, 5, tzinfo=timezone.utc), "2026-12-02"),  # 00:05 of the next day
    ],
)
def test_case_33_tomorrow_is_seen_from_the_turns_own_day(said_at: datetime, day: str) -> None:
    (one,) = match_rules(turn(1, "帮我记一下明天要交报告", said_at=said_at), zone=SHANGHAI)
    assert one.content == f"小明（10001）{day}要交报告"
    assert one.kind == "task"
    assert one.valid_until is not None
    assert one.valid_until.astimezone(SHANGHAI).strftime("%Y-%m-%d %H:%M") == f"{day} 23:59"


def test_other_days_and_decisions() -> None:
    def said(text: str) -> list[str]:
        return [one.content for one in match_rules(turn(1, text), zone=SHANGHAI)]

    assert said("我们决定后天团建") == ["决定：2026-12-02团建"]
    assert said("记住我昨天买了车") == ["小明（10001）2026-11-29买了车"]
    assert said("记住明晚要交作业") == ["小明（10001）2026-12-01晚上要交作业"]
    assert said("记住大後天要交作业") == ["小明（10001）2026-12-03要交作业"]


def test_case_35_no_date_in_the_text_none_in_the_item() -> None:
    (one,) = match_rules(turn(1, "记住要交报告"), zone=SHANGHAI)
    assert one.content == "小明（10001）要交报告"
    assert one.valid_until is None
