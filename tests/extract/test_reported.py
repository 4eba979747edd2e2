"""Whose words an item is made of."""

from __future__ import annotations

import pytest

from nonebot_plugin_scoped_memory.engine.extract.reported import is_retold, of_others
from nonebot_plugin_scoped_memory.engine.models import Quote

from .making import HONG, MING, turn

NAMES = {"小明（10001）", "小红（10002）", "小明", "小红", "10001", "10002"}


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("小明说他下周去日本", "小红（10002）下周去日本"),
        ("小明刚才说下周要去日本玩", "小红（10002）下周去日本玩"),
        ("我妈说她最近失眠", "小红（10002）最近失眠"),
        ("我同事说要辞职去开花店", "小红（10002）要辞职开花店"),
        ("小明告诉我他对花生过敏", "小红（10002）对花生过敏"),
        ("小明说：“我养了一只柴犬”", "小红（10002）养了一只柴犬"),
        ("小明说：“我养了一只柴犬”，笑死我了", "小红（10002）养了一只柴犬"),
        ("小明說他下週去日本", "小红（10002）下周去日本"),
        ("Ming said he plays the cello", "小红（10002）plays the cello"),
        ("小明说他下周去日本，我好羡慕", "小红（10002）下周去日本"),
        ("我听小明说他要离婚了", "小红（10002）要离婚"),
        ("我昨天听小明说他要离婚了", "小红（10002）要离婚"),
        ("我看小明说他要离婚了", "小红（10002）要离婚"),
        *(
            (f"{who}说他有糖尿病", "小红（10002）有糖尿病")
            for who in (
                "我闺蜜",
                "我儿子",
                "我邻居",
                "我对象",
                "我前任",
                "我领导",
                "我媳妇",
                "我表哥",
                "我之前的同事",
                "我们老师",
                "隔壁同学",
                "张伟",
                "老王",
            )
        ),
        ("小明说 我要离婚了", "小红（10002）要离婚"),
        ("小明：我对花生过敏", "小红（10002）对花生过敏"),
        ("小明原话是“我要离婚了”", "小红（10002）要离婚"),
        ("小明说：“我要离婚了，我还欠了十万”", "小红（10002）欠了十万"),
        ("小明说：“我要离婚了。我还欠了十万”", "小红（10002）欠了十万"),
    ],
)
def test_what_somebody_is_said_to_say_is_not_the_tellers_own(said: str, content: str) -> None:
    assert of_others(content, HONG, [turn(1, said, HONG)], NAMES)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("我下周去日本", "小红（10002）下周去日本"),
        ("医生说我对花生过敏", "小红（10002）对花生过敏"),
        ("老实说我讨厌香菜", "小红（10002）讨厌香菜"),
        ("对我来说手冲咖啡是命", "小红（10002）很喜欢手冲咖啡"),
        ("我说过我住在成都", "小红（10002）住在成都"),
        ("我说我养了一只柴犬", "小红（10002）养了一只柴犬"),
        ("小明说他下周去日本。我下周去爬黄山", "小红（10002）下周去爬黄山"),
        ("我在演讲比赛里拿了奖", "小红（10002）在演讲比赛里拿了奖"),
        ("我表示喜欢爬山", "小红（10002）喜欢爬山"),
        ("我是码农", "小红（10002）是程序员"),
        ("平时喜欢读小说，看电影", "小红（10002）喜欢看电影"),
        ("最喜欢的小说是三体", "小红（10002）最喜欢的小说是三体"),
        ("会说日语和法语", "小红（10002）会说日语和法语"),
        ("从小就会说上海话", "小红（10002）会说上海话"),
        ("不会讲粤语", "小红（10002）不会讲粤语"),
        ("在解说行业工作", "小红（10002）在解说行业工作"),
        ("跟你说，今天面试通过了", "小红（10002）面试通过了"),
        ("跟你们说个好消息，考上清华了", "小红（10002）考上清华了"),
        ("偷偷告诉你，下个月要结婚了", "小红（10002）下个月要结婚"),
        ("忘了说，对花生过敏", "小红（10002）对花生过敏"),
        ("也就是说，对花生过敏", "小红（10002）对花生过敏"),
        ("之前说过 最近在学吉他", "小红（10002）最近在学吉他"),
        ("医生说是花生过敏", "小红（10002）花生过敏"),
        ("小声说，对花生过敏", "小红（10002）对花生过敏"),
        ("老实说讨厌香菜", "小红（10002）讨厌香菜"),
    ],
)
def test_what_people_say_of_themselves_is_their_own(said: str, content: str) -> None:
    assert not of_others(content, HONG, [turn(1, said, HONG)], NAMES)


def test_beside_another_members_line_somebodys_own_line_must_say_it() -> None:
    ming = turn(1, "我下周去日本玩")
    asked = turn(1, "你下周去日本玩吗？")
    assert of_others("小红（10002）下周去日本玩", HONG, [ming, turn(2, "真好啊", HONG)], NAMES)
    assert not of_others("小红（10002）下周去日本玩", HONG, [ming, turn(2, "我也是", HONG)], NAMES)
    assert not of_others("小红（10002）下周去日本玩", HONG, [asked, turn(2, "对，去的", HONG)], NAMES)
    assert not of_others("小明（10001）下周去日本玩", MING, [ming, turn(2, "真好啊", HONG)], NAMES)


@pytest.mark.parametrize("words", ["同情你", "同学你多保重", "也太惨了吧", "我不同意", "我跟你不一样", "真可怜"])
def test_who_comments_does_not_agree(words: str) -> None:
    ming = turn(1, "我对花生过敏，哪都不敢乱吃")
    assert of_others("小红（10002）对花生过敏", HONG, [ming, turn(2, words, HONG)], NAMES)


@pytest.mark.parametrize("words", ["我也是", "我也对花生过敏", "+1", "一样"])
def test_who_agrees_says_it_too(words: str) -> None:
    ming = turn(1, "我对花生过敏，哪都不敢乱吃")
    assert not of_others("小红（10002）对花生过敏", HONG, [ming, turn(2, words, HONG)], NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "我对花生过敏。" + "甲说" * 9_950 + "我",
        "他说" + " " * 19_000,
        "甲说服" * 6_600,
        "我妈说，" * 5_000,
        "小明说：“" * 4_000,
        "也" * 20_000,
    ],
)
def test_a_huge_message_is_read_in_no_time(text: str) -> None:
    """A quadratic pattern would take minutes here."""
    of_others("小红（10002）对花生过敏", HONG, [turn(1, text, HONG)], NAMES)


def test_what_somebody_quotes_is_not_their_own() -> None:
    quoting = turn(1, "笑死", HONG, quotes=(Quote(MING, "小明", "我养了一只柴犬"),))
    assert of_others("小红（10002）养了一只柴犬", HONG, [quoting], NAMES)


def test_what_is_only_retold() -> None:
    assert is_retold("小明下周去日本", [turn(1, "小明说他下周去日本", HONG)], NAMES)
    assert not is_retold("公司下周搬家", [turn(1, "公司下周搬家", HONG)], NAMES)
