"""What each client sends, as a turn. Events are made by the adapter from JSON, its own first steps included."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nonebot.adapters.onebot.v11 import Adapter, Event, Message, MessageEvent, MessageSegment
from nonebot.adapters.onebot.v11.bot import _check_at_me, _check_nickname, _check_reply

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.onebot import (
    MAX_QUOTE_CHARS,
    Incoming,
    Recall,
    Sent,
    Unplaced,
    event_number,
    is_group_admin,
    read_api_send,
    read_message,
    read_recall,
    session_of,
)
from nonebot_plugin_scoped_memory.bot.segments import MAX_CARD_CHARS, render
from nonebot_plugin_scoped_memory.engine.errors import InvalidAddressError
from nonebot_plugin_scoped_memory.engine.models import MAX_TURN_CHARS, Quote, TurnState

NOW = datetime(2026, 11, 30, 6, 5, tzinfo=timezone.utc)
SENT_AT = int(NOW.timestamp()) - 3
BOT, OTHER_BOT = 10000, 10009


def seg(kind: Any, /, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def said(text: str) -> dict[str, Any]:
    return seg("text", text=text)


def napcat_group(message: Any, **changes: Any) -> dict[str, Any]:
    """NapCat: ``message_seq`` repeats the id, ``real_seq`` is the platform's, as text."""
    return {
        "self_id": BOT,
        "user_id": 10001,
        "time": SENT_AT,
        "message_id": 1790235171,
        "message_seq": 1790235171,
        "real_id": 1790235171,
        "real_seq": "20531",
        "message_type": "group",
        "sender": {"user_id": 10001, "nickname": "明", "card": "小明", "role": "member"},
        "raw_message": "",
        "font": 14,
        "sub_type": "normal",
        "message": message,
        "message_format": "array",
        "post_type": "message",
        "group_id": 20001,
        "group_name": "咖啡",
        **changes,
    }


def napcat_private(message: Any, **changes: Any) -> dict[str, Any]:
    data = napcat_group(message, message_type="private", sub_type="friend")
    del data["group_id"], data["group_name"]
    data["sender"] = {"user_id": 10001, "nickname": "明", "card": ""}
    return {**data, **changes}


def gocqhttp_group(message: str, **changes: Any) -> dict[str, Any]:
    """go-cqhttp with strings: the message id may be negative, ``message_seq`` is real, ``anonymous`` is null."""
    return {
        "post_type": "message",
        "message_type": "group",
        "time": SENT_AT,
        "self_id": BOT,
        "sub_type": "normal",
        "raw_message": message,
        "font": 0,
        "sender": {
            "age": 0,
            "area": "",
            "card": "",
            "level": "",
            "nickname": "明",
            "role": "owner",
            "sex": "unknown",
            "title": "",
            "user_id": 10001,
        },
        "message_id": -1216345113,
        "anonymous": None,
        "message": message,
        "message_seq": 5231,
        "user_id": 10001,
        "group_id": 20001,
        **changes,
    }


def lagrange_group(message: Any, **changes: Any) -> dict[str, Any]:
    return {
        "message_type": "group",
        "sub_type": "normal",
        "message_id": 661024507,
        "message_seq": 5231,
        "group_id": 20001,
        "user_id": 10001,
        "anonymous": None,
        "message": message,
        "raw_message": "",
        "font": 0,
        "sender": {"user_id": 10001, "nickname": "明", "card": "小明", "sex": "unknown", "role": "admin", "title": ""},
        "time": SENT_AT,
        "self_id": BOT,
        "post_type": "message",
        **changes,
    }


def event_of(data: dict[str, Any]) -> Event:
    event = Adapter.json_to_event(json.loads(json.dumps(data)))
    assert event is not None
    return event


def message_of(data: dict[str, Any]) -> MessageEvent:
    event = event_of(data)
    assert isinstance(event, MessageEvent)
    return event


def read_event(event: MessageEvent, **options: Any) -> Incoming:
    options = {"bots": {str(BOT), str(OTHER_BOT)}, "superusers": frozenset(), "now": NOW, **options}
    return read_message(event, **options)


def read(data: dict[str, Any], **options: Any) -> Incoming:
    return read_event(message_of(data), **options)


def text_of(*message: Any) -> str:
    return read(napcat_group(list(message))).turn.text


async def received(data: dict[str, Any], quoted: dict[str, Any] | None = None, nickname: str = "小忆") -> MessageEvent:
    """The event as hooks see it: after what the adapter does first."""

    async def get_msg(**_: Any) -> dict[str, Any]:
        if quoted is None:
            raise RuntimeError("no such message")
        return quoted

    bot: Any = SimpleNamespace(get_msg=get_msg, config=SimpleNamespace(nickname={nickname}))
    event = message_of(data)
    event.message.reduce()
    await _check_reply(bot, event)
    _check_at_me(bot, event)
    _check_nickname(bot, event)
    return event


class TestWhoAndWhere:
    def test_napcat_group_message(self) -> None:
        incoming = read(napcat_group([said("我喜欢手冲咖啡")]))
        turn = incoming.turn
        assert incoming.session_key == "qq:group:20001"
        assert (turn.role, turn.account, turn.name, turn.text) == ("user", "qq:user:10001", "小明", "我喜欢手冲咖啡")
        assert turn.state is TurnState.OPEN
        assert turn.said_at == NOW - timedelta(seconds=3)
        assert turn.seq == 20531
        assert turn.message_ids == (("10000", "1790235171"),)
        assert (incoming.to_bot, incoming.to_me, incoming.anonymous, incoming.temp) == (False, False, False, False)
        assert (incoming.role, incoming.self_id, incoming.account) == ("member", "10000", "qq:user:10001")

    def test_gocqhttp_group_message_as_a_string(self) -> None:
        incoming = read(gocqhttp_group("[CQ:at,qq=10002] 看这个&#91;图&#93; [CQ:image,file=a.image,url=https://x/y]"))
        assert incoming.turn.text == "@10002 看这个[图] [图片]"
        assert incoming.turn.message_ids == (("10000", "-1216345113"),)
        assert (incoming.turn.seq, incoming.role, incoming.turn.name) == (5231, "owner", "明")

    def test_lagrange_group_message(self) -> None:
        incoming = read(lagrange_group([said("在"), seg("face", id="178")]))
        assert (incoming.turn.text, incoming.turn.seq, incoming.role) == ("在[表情]", 5231, "admin")

    @pytest.mark.parametrize("message_id", [0, -1])
    def test_a_message_without_an_id(self, message_id: int) -> None:
        assert read(napcat_group([said("在")], message_id=message_id)).turn.message_ids == ()

    def test_private_message(self) -> None:
        incoming = read(napcat_private([said("你好")]))
        assert incoming.session_key == "qq:private:10001"
        assert (incoming.to_bot, incoming.to_me, incoming.role, incoming.temp) == (True, True, "", False)

    @pytest.mark.parametrize("changes", [{}, {"group_id": 20001, "temp_source": 0}, {"group_id": 284840486}])
    def test_temporary_private_chat_is_private_with_that_user(self, changes: dict[str, Any]) -> None:
        incoming = read(napcat_private([said("你好")], sub_type="group", **changes))
        assert (incoming.session_key, incoming.temp) == ("qq:private:10001", True)
        assert session_of(message_of(napcat_private([], sub_type="group", **changes))) == "qq:private:10001"

    @pytest.mark.parametrize(
        "changes",
        [
            {"sub_type": "anonymous", "anonymous": {"id": 1000123, "name": "大力鬼王", "flag": "AAA$1"}},
            {"sub_type": "anonymous", "anonymous": {"id": 0, "name": "大力鬼王", "flag": ""}},
            {"user_id": 80000000, "anonymous": {"name": "大力鬼王"}},  # too little for the adapter's group event
            {"user_id": 80000000, "anonymous": {"id": 1, "name": "大力鬼王", "flag": None}},
        ],
    )
    def test_anonymous_member_is_nobody_in_particular(self, changes: dict[str, Any]) -> None:
        data = napcat_group([said("我怕辣")], **changes)
        incoming = read(data, superusers={"80000000", "10001"})
        assert incoming.session_key == "qq:group:20001"
        assert (incoming.anonymous, incoming.account, incoming.turn.account) == (True, "", "")
        assert (incoming.turn.name, incoming.turn.role, incoming.turn.by_operator) == ("大力鬼王", "user", False)
        assert not is_group_admin(message_of({**data, "sender": {"user_id": 80000000, "role": "owner"}}))

    @pytest.mark.parametrize("mask", [None, {}, {"id": 0, "name": "", "flag": ""}, {"name": "\u200b"}, {"name": 5}])
    def test_anonymous_member_without_a_name(self, mask: Any) -> None:
        incoming = read(napcat_group([said("在")], user_id=80000000, sub_type="normal", anonymous=mask))
        assert (incoming.anonymous, incoming.turn.name) == (True, texts.ANONYMOUS)

    def test_an_empty_mask_on_an_ordinary_message_is_no_sign(self) -> None:
        incoming = read(napcat_group([said("在")], anonymous={"id": 0, "name": "", "flag": ""}))
        assert (incoming.anonymous, incoming.account) == (False, "qq:user:10001")

    def test_a_sender_without_a_number_is_nobody(self) -> None:
        assert read(napcat_group([said("在")], user_id=0)).account == ""

    @pytest.mark.parametrize(
        ("card", "nickname", "name"),
        [
            ("小明", "明", "小明"),
            ("", "明", "明"),
            (None, "明", "明"),
            ("\u3000\u200b✨｜\t", "\u3000", "10001"),
            ("\u3000\u200b✨｜\t", "明", "明"),
            ("\ud83d", None, "10001"),
            ("a\ud83d\x00b\n\u202ec", "", "a\ufffd\ufffdbc"),
            ("x" * 1_000_000, "", "x" * 40),
        ],
    )
    def test_name(self, card: str | None, nickname: str | None, name: str) -> None:
        sender = {"user_id": 10001, "nickname": nickname, "card": card, "role": "member"}
        assert read(napcat_group([said("在")], sender=sender)).turn.name == name

    @pytest.mark.parametrize(
        ("superusers", "operator"),
        [
            ({"10001"}, True),
            ({"onebot:10001"}, True),
            ({"10002"}, False),
            ({"console:10001"}, False),
            (set(), False),
        ],
    )
    def test_operator_as_nonebot_has_it(self, superusers: set[str], operator: bool) -> None:
        assert read(napcat_group([said("在")]), superusers=superusers).turn.by_operator is operator

    @pytest.mark.parametrize("user_id", [BOT, OTHER_BOT])
    def test_our_bots_speak_as_bots_and_never_as_operators(self, user_id: int) -> None:
        sender = {"user_id": user_id, "nickname": "小忆", "role": "admin"}
        data = napcat_group([seg("at", qq=str(BOT)), said("我怕辣")], user_id=user_id, sender=sender)
        incoming = read(data, superusers={str(user_id)})
        assert (incoming.turn.role, incoming.turn.account) == ("bot", f"qq:user:{user_id}")
        assert (incoming.turn.by_operator, incoming.to_me) == (False, False)

    @pytest.mark.parametrize(
        "changes",
        [
            {"message_type": "guild"},
            {"group_id": None},
            {"group_id": 0},
            {"message_type": "private", "user_id": 0},
            {"message_type": "private", "user_id": 80000000},
            {"message_type": "private", "user_id": BOT},
        ],
    )
    def test_no_address_no_chat(self, changes: dict[str, Any]) -> None:
        data = napcat_group([said("在")], **changes)
        with pytest.raises(InvalidAddressError):
            read(data)
        assert session_of(message_of(data)) is None

    @pytest.mark.parametrize(
        ("role", "admin"), [("owner", True), ("admin", True), ("member", False), (None, False), ("ADMIN!", False)]
    )
    def test_group_admin(self, role: str | None, admin: bool) -> None:
        data = napcat_group([said("在")], sender={"user_id": 10001, "nickname": "明", "role": role})
        assert is_group_admin(message_of(data)) is admin
        assert read(data).role == (role if role in ("owner", "admin") else "member")

    def test_no_admin_in_private(self) -> None:
        assert not is_group_admin(message_of(napcat_private([], sender={"user_id": 10001, "role": "owner"})))
        assert not is_group_admin(event_of(RECALL))


class TestTimeAndOrder:
    @pytest.mark.parametrize("seconds", [0, -5, int(NOW.timestamp()) * 1000, int(NOW.timestamp()) + 90_000, 10**30])
    def test_absurd_time_is_now(self, seconds: int) -> None:
        assert read(napcat_group([said("在")], time=seconds)).turn.said_at == NOW

    def test_a_clock_that_is_a_little_ahead_is_kept(self) -> None:
        assert read(napcat_group([], time=SENT_AT + 3600)).turn.said_at == NOW + timedelta(seconds=3597)

    @pytest.mark.parametrize(
        ("changes", "number"),
        [
            ({}, 20531),
            ({"real_seq": None}, 0),
            ({"real_seq": "x"}, 0),
            ({"real_seq": "9" * 5000}, 0),
            ({"real_seq": 7}, 7),
            ({"real_seq": None, "message_seq": 33}, 33),
            ({"real_seq": "0", "message_seq": "33"}, 33),
            ({"real_seq": None, "message_seq": -33}, 0),
            ({"real_seq": None, "message_seq": True}, 0),
        ],
    )
    def test_sequence(self, changes: dict[str, Any], number: int) -> None:
        assert event_number(message_of(napcat_group([], **changes))) == number


class TestToTheBot:
    async def test_mention_in_front(self) -> None:
        incoming = read_event(await received(napcat_group([seg("at", qq="10000"), said(" 我叫什么")])))
        assert (incoming.to_bot, incoming.to_me) == (True, True)
        assert incoming.turn.text == "@10000 我叫什么"
        assert incoming.turn.mentions == (("qq:user:10000", "10000"),)

    async def test_mention_in_the_middle(self) -> None:
        event = await received(napcat_group([said("你看 "), seg("at", qq=BOT), said(" 说的对")]))
        assert not event.to_me  # the adapter looks at both ends only
        incoming = read_event(event)
        assert (incoming.to_bot, incoming.to_me, incoming.turn.text) == (True, True, "你看 @10000 说的对")

    async def test_mention_of_another_of_our_bots(self) -> None:
        incoming = read_event(await received(napcat_group([seg("at", qq=str(OTHER_BOT)), said("在吗")])))
        assert (incoming.to_bot, incoming.to_me) == (True, False)

    async def test_mention_beyond_the_cut(self) -> None:
        data = napcat_group([said("啊" * 30_000), seg("at", qq="10000"), said("再见")])
        assert read_event(await received(data)).to_me

    async def test_mention_of_someone_else_or_all(self) -> None:
        incoming = read_event(await received(napcat_group([seg("at", qq="all"), seg("at", qq="10002"), said("在吗")])))
        assert not incoming.to_bot

    async def test_nickname_is_kept_as_said(self) -> None:
        event = await received(napcat_group([said("小忆，记住我喜欢手冲咖啡")]))
        assert str(event.message) == "记住我喜欢手冲咖啡"
        incoming = read_event(event)
        assert (incoming.to_me, incoming.turn.text) == (True, "小忆，记住我喜欢手冲咖啡")


def quoted(message: Any, user_id: int | None = 10002, **changes: Any) -> dict[str, Any]:
    """What ``get_msg`` answers."""
    return {
        "time": SENT_AT - 60,
        "message_type": "group",
        "message_id": 55,
        "real_id": 55,
        "sender": {"user_id": user_id, "nickname": "红", "card": "小红", "role": "member"},
        "message": message,
        "group_id": 20001,
        **changes,
    }


class TestQuotes:
    async def test_someone_else(self) -> None:
        data = napcat_group([seg("reply", id="55"), seg("at", qq="10002"), said(" 哈哈")])
        incoming = read_event(await received(data, quoted([said("我没有对象"), seg("image", url="http://x/a.jpg")])))
        assert incoming.turn.quotes == (Quote("qq:user:10002", "小红", "我没有对象[图片]", "reply"),)
        assert incoming.turn.text == "@10002 哈哈"
        assert not incoming.to_bot

    async def test_the_bot_itself(self) -> None:
        bot = quoted("我没有对象", BOT, sender={"user_id": BOT, "nickname": "小忆", "card": ""})
        incoming = read_event(await received(gocqhttp_group("[CQ:reply,id=-55]哈哈"), bot))
        assert incoming.turn.quotes == (Quote("qq:user:10000", "小忆", "我没有对象", "reply"),)
        assert (incoming.turn.text, incoming.to_bot, incoming.to_me) == ("哈哈", True, True)

    async def test_another_of_our_bots(self) -> None:
        event = await received(napcat_group([seg("reply", id="55"), said("哈哈")]), quoted([said("在")], OTHER_BOT))
        assert (read_event(event).to_bot, read_event(event).to_me) == (True, False)

    async def test_message_that_cannot_be_fetched(self) -> None:
        incoming = read_event(await received(napcat_group([seg("reply", id="55"), said("哈哈")])))
        assert (incoming.turn.quotes, incoming.turn.text) == ((), "哈哈")

    async def test_quote_inside_a_quote_is_left_out(self) -> None:
        inner = [seg("reply", id="54"), said("对")]
        (quote,) = read_event(await received(napcat_group([seg("reply", id="55")]), quoted(inner))).turn.quotes
        assert quote.text == "对"

    async def test_long_quote(self) -> None:
        event = await received(napcat_group([seg("reply", id="55")]), quoted([said("长" * 2_000_000)]))
        (quote,) = read_event(event).turn.quotes
        assert len(quote.text) == MAX_QUOTE_CHARS
        assert quote.text.endswith("长…")

    @pytest.mark.parametrize(
        ("sender", "account", "name"),
        [
            ({"user_id": 10002, "nickname": "\u200b", "card": None}, "qq:user:10002", "10002"),
            ({"user_id": 80000000, "nickname": ""}, "", texts.ANONYMOUS),
            ({"user_id": None, "nickname": "红\ud83d"}, "", "红\ufffd"),
            ({}, "", texts.SOMEONE),
        ],
    )
    async def test_sender(self, sender: dict[str, Any], account: str, name: str) -> None:
        event = await received(napcat_group([seg("reply", id="55")]), quoted([said("在")], sender=sender))
        (quote,) = read_event(event).turn.quotes
        assert (quote.account, quote.name) == (account, name)

    @pytest.mark.parametrize("changes", [{"group_id": 20002}, {"message_type": "private"}])
    async def test_message_of_another_chat_is_no_quote(self, changes: dict[str, Any]) -> None:
        elsewhere = quoted([said("我的猫叫豆豆")], BOT, **changes)
        incoming = read_event(await received(napcat_group([seg("reply", id="55"), said("哈哈")]), elsewhere))
        assert (incoming.turn.quotes, incoming.unplaced) == ((), None)

    @pytest.mark.parametrize("group_id", [None, 0, ""])
    async def test_answer_that_names_no_group_is_not_taken_for_this_one(self, group_id: Any) -> None:
        """Lagrange tells neither the group nor, in private, the receiver."""
        somewhere = quoted([said("我的猫叫豆豆")], OTHER_BOT, group_id=group_id)
        incoming = read_event(await received(lagrange_group([seg("reply", id="55"), said("哈哈")]), somewhere))
        assert incoming.turn.quotes == ()
        assert incoming.unplaced == Unplaced("55", Quote(f"qq:user:{OTHER_BOT}", "小红", "我的猫叫豆豆", "reply"))
        assert incoming.to_bot

    @pytest.mark.parametrize(
        ("user_id", "answer", "place"),
        [
            (10001, {}, "here"),
            (10001, {"group_id": 284840486}, "here"),  # a temporary chat
            (BOT, {"target_id": 10001}, "here"),
            (BOT, {"user_id": BOT, "target_id": "10001"}, "here"),
            (BOT, {"user_id": 10001}, "here"),
            (BOT, {"peer_id": 10001}, "here"),
            (BOT, {}, "unknown"),
            (BOT, {"user_id": BOT}, "unknown"),
            (BOT, {"target_id": 10002}, "unknown"),
            (BOT, {"target_id": None, "user_id": 10002}, "unknown"),
            (10002, {"target_id": 10001}, "elsewhere"),
            (None, {}, "elsewhere"),
            (OTHER_BOT, {"target_id": 10001}, "elsewhere"),
        ],
    )
    async def test_private_quote(self, user_id: int | None, answer: dict[str, Any], place: str) -> None:
        """The bot's own words are of this chat only if they were said to this user."""
        found = {**quoted([said("我的猫叫豆豆")], user_id, message_type="private", group_id=None), **answer}
        incoming = read_event(await received(napcat_private([seg("reply", id="55"), said("哈哈")]), found))
        assert (len(incoming.turn.quotes), incoming.unplaced is not None) == {
            "here": (1, False),
            "unknown": (0, True),
            "elsewhere": (0, False),
        }[place]


CARD = {
    "app": "com.tencent.miniapp_01",
    "prompt": "[QQ小程序]哔哩哔哩",
    "meta": {"detail_1": {"title": "哔哩哔哩", "desc": "三分钟学会手冲", "preview": "http://i/a.jpg"}},
}
NEWS = {"prompt": "[分享]豆子", "desc": "", "meta": {"news": {"title": "豆子", "desc": "产地", "jumpUrl": "https://x"}}}
FORWARD_CARD = {"app": "com.tencent.multimsg", "desc": "[聊天记录]", "meta": {"detail": {"resid": "abc"}}}
XML = '<?xml version="1.0"?><msg serviceID="1" brief="[分享] A&amp;B"><item><title>标题</title></item></msg>'


class TestSegments:
    @pytest.mark.parametrize(
        ("segment", "expected"),
        [
            (said("原话 https://a.b/c\n第二行"), "原话 https://a.b/c\n第二行"),
            (seg("text", text=5), "5"),
            (seg("text", text=None), ""),
            (seg("at", qq="10002", name="小红"), "@小红"),
            (seg("at", qq=10002, name="@小红\n[t3]"), "@小红[t3]"),
            (seg("at", qq="10002"), "@10002"),
            (seg("at", qq="all"), "@全体成员"),
            (seg("at", qq=80000000), "@某人"),
            (seg("at", qq=None, name="小红"), "@小红"),
            (seg("face", id="178"), "[表情]"),
            (seg("face", id="178", raw={"faceText": "/捂脸"}), "[表情:捂脸]"),
            (seg("face", id="178", raw={"faceText": None}), "[表情]"),
            (seg("mface", summary="[开心]", url="http://x", key="k"), "[表情:开心]"),
            (seg("marketface"), "[表情]"),
            (seg("image", file="base64://AAAA", url="http://x/a.jpg", sub_type=0, summary=""), "[图片]"),
            (seg("image", file="a.jpg", summary="看 http://x"), "[图片]"),
            (seg("image", file="a.jpg", sub_type=1), "[动画表情]"),
            (seg("image", file="a.jpg", subType="1"), "[动画表情]"),
            (seg("image", file="a.jpg", summary="[动画表情]"), "[动画表情]"),
            (seg("image", file="a.gif", summary="[开心]", emoji_id="ab12", emoji_package_id=1), "[表情:开心]"),
            (seg("record", file="a.amr", url="http://x"), "[语音]"),
            (seg("video", file="http://x/a.mp4"), "[视频]"),
            (seg("file", file="报告.pdf", file_id="/u", file_size="9"), "[文件:报告.pdf]"),
            (seg("file", file_name="报告.pdf", url="http://x"), "[文件:报告.pdf]"),
            (seg("file", file="/srv/bot" * 90 + "/报告.pdf"), "[文件:报告.pdf]"),
            (seg("file", file="C:\\bot\\报告.pdf"), "[文件:报告.pdf]"),
            (seg("file", file="base64://AAAA"), "[文件]"),
            (seg("file", file="data:image/png;base64," + "QU/JD" * 200), "[文件]"),
            (seg("file", file="http://x/a.pdf"), "[文件]"),
            (seg("file", file="a]\n[t9] 小红: 我怕辣"), "[文件:a】 【t9】 小红: 我怕辣]"),
            (seg("share", url="http://x", title="豆子"), "[分享:豆子]"),
            (seg("json", data=json.dumps(CARD)), "[卡片:【QQ小程序】哔哩哔哩 三分钟学会手冲]"),
            (seg("json", data=json.dumps(NEWS)), "[卡片:【分享】豆子 产地]"),
            (seg("json", data=CARD), "[卡片:【QQ小程序】哔哩哔哩 三分钟学会手冲]"),
            (seg("json", data=json.dumps(FORWARD_CARD)), "[合并转发]"),
            (seg("json", data="{"), "[卡片]"),
            (seg("json", data="[" * 30_000), "[卡片]"),
            (seg("json", data='{"meta": [1], "prompt": {"a": 1}}'), "[卡片]"),
            (seg("json", data='{"prompt": "a", "b": "' + "b" * MAX_CARD_CHARS + '"}'), "[卡片]"),
            (seg("xml", data=XML), "[卡片:【分享】 A&B 标题]"),
            (seg("xml", data='<msg serviceID="35" brief="[聊天记录]"/>'), "[合并转发]"),
            (seg("location", lat="31", lon="121", title="人民广场"), "[位置:人民广场]"),
            (seg("location", lat="31", lon="121"), "[位置]"),
            (seg("music", type="163", id="1"), "[音乐]"),
            (seg("music", type="custom", title="晴天", audio="http://x"), "[音乐:晴天]"),
            (seg("contact", type="qq", id="10002"), "[名片]"),
            (seg("dice", result="3"), "[骰子:3]"),
            (seg("dice", value=6), "[骰子:6]"),
            (seg("dice"), "[骰子]"),
            (seg("rps", result="1"), "[猜拳:布]"),
            (seg("rps", result=3), "[猜拳:石头]"),
            (seg("rps", value="0"), "[猜拳:石头]"),
            (seg("rps", value=2), "[猜拳:布]"),
            (seg("rps", result=9), "[猜拳]"),
            (seg("rps", value=10**17), "[猜拳]"),
            (seg("rps"), "[猜拳]"),
            (seg("poke", type="1", id="-1"), "[戳一戳]"),
            (seg("shake"), "[窗口抖动]"),
            (seg("forward", id="abc", content=[{"a": 1}]), "[合并转发]"),
            (seg("markdown", content="**好** ![a](https://x/y.png)"), "**好** [图片]"),
            (seg("markdown", content=None), "[markdown]"),
            (seg("reply", id="5"), ""),
            (seg("anonymous", ignore="1"), ""),
            (seg("keyboard", content={}), "[keyboard]"),
            (seg("x]\n[y" * 100), "[xyxyxyxyxyxy]"),
            (seg(""), "[未知消息]"),
            (seg(None), "[未知消息]"),
            (seg([1]), "[未知消息]"),
            ({"type": "image", "data": None}, "[图片]"),
            ({"type": "image", "data": [1, 2]}, "[图片]"),
            ({"type": "text"}, ""),
            (said("a\ud83db\x00c\x1b"), "a\ufffdb\ufffdc\ufffd"),
            (said("好😀\t好"), "好😀\t好"),
        ],
    )
    def test_one(self, segment: dict[str, Any], expected: str) -> None:
        assert text_of(segment) == expected

    def test_nodes_are_one_forward(self) -> None:
        assert render([seg("node", id="1"), seg("node", id="2"), said("看")]).text == "[合并转发]看"

    def test_mentions_name_each_account_once(self) -> None:
        incoming = read(
            napcat_group([seg("at", qq="10002", name="小红"), seg("at", qq="10002"), seg("at", qq="all"), said("在")])
        )
        assert incoming.turn.text == "@小红@小红@全体成员在"
        assert incoming.turn.mentions == (("qq:user:10002", "小红"),)

    def test_two_connections_see_the_same_text(self) -> None:
        message = [seg("at", qq=str(BOT)), said(" 在吗")]
        texts_seen = {read(napcat_group(message, self_id=bot)).turn.text for bot in (BOT, OTHER_BOT)}
        assert texts_seen == {"@10000 在吗"}

    def test_long_text_is_cut_and_says_so(self) -> None:
        turn = read(napcat_group([said("字" * 2_000_000)])).turn
        assert len(turn.text) == MAX_TURN_CHARS
        assert turn.text.endswith(f"字{texts.TURN_CUT}")

    def test_text_at_the_limit_is_whole(self) -> None:
        assert text_of(said("字" * (MAX_TURN_CHARS - 4)), seg("image")) == "字" * (MAX_TURN_CHARS - 4) + "[图片]"

    @pytest.mark.parametrize("limit", [0, 1, 5, 50])
    def test_a_limit_below_the_note(self, limit: int) -> None:
        assert len(render([said("字" * 60)], limit).text) == limit

    def test_five_thousand_lines(self) -> None:
        lines = "\n".join(str(n) for n in range(5_000))
        assert text_of(said(lines)) == (lines[: MAX_TURN_CHARS - len(texts.TURN_CUT)] + texts.TURN_CUT)

    @pytest.mark.parametrize(
        "message",
        [
            [seg("image", file="base64://" + "QUJD" * 500_000), said("看")],
            [said("字" * 2_000_000)],
            [said("a\x00")] * 20_000,
            [seg("json", data="[" * 2_000_000)],
            [seg("xml", data="<title " * 300_000)],
            [seg("markdown", content="![" * 1_000_000)],
            [seg("markdown", content="![](" * 500_000)],
            [seg("file", name="://" * 700_000)],
            [seg("at", qq="10002", name="@" * 2_000_000)] * 50,
            "[CQ:a," * 300_000,
            "[CQ:a,b=" * 250_000,
            "[CQ:image,file=base64://" + "QUJD" * 500_000 + "]看",
        ],
    )
    @pytest.mark.timeout(30)  # milliseconds each; what is quadratic takes minutes
    def test_two_megabytes_cost_little(self, message: Any) -> None:
        text = render(message).text
        assert len(text) <= MAX_TURN_CHARS
        assert "QUJD" not in text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("base64://QUJD"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = "text qq name id raw file url summary sub_type title content data result value prompt meta emoji_id".split()
KINDS = [*texts.SEGMENT_NAMES, "text", "at", "markdown", "reply", "anonymous", "keyboard", "", None, 3]
LEAKS = st.sampled_from(["base64://QUJD", "http://x/a.jpg?k=1", "看 https://x/a.jpg", "data:image/png;base64,QUJD"])


class TestAnything:
    @settings(max_examples=200, deadline=None)
    @given(
        st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(KINDS) | st.text(max_size=8)},
                optional={"data": st.dictionaries(st.sampled_from(KEYS), JSON_VALUES, max_size=6) | JSON_VALUES},
            ),
            max_size=5,
        )
    )
    def test_no_segment_raises(self, message: list[dict[str, Any]]) -> None:
        turn = read(napcat_group(message)).turn
        turn.text.encode()
        assert len(turn.text) <= MAX_TURN_CHARS

    @settings(max_examples=100, deadline=None)
    @given(JSON_VALUES)
    def test_no_message_of_a_bot_raises(self, message: Any) -> None:
        assert read_api_send("send_group_msg", {"group_id": 1, "message": message}, None, "1") is not None

    @settings(max_examples=200, deadline=None)
    @given(
        st.sampled_from(["image", "record", "video", "mface", "cardimage", "file", "music", "share", "json"]),
        st.dictionaries(st.sampled_from(KEYS), LEAKS | st.fixed_dictionaries({"faceText": LEAKS}), max_size=10),
    )
    def test_no_address_and_no_bytes_of_a_medium(self, kind: str, data: dict[str, Any]) -> None:
        text = text_of({"type": kind, "data": data})
        assert not any(leak in text for leak in ("base64", "http", "QUJD"))


RECALL = {
    "time": SENT_AT,
    "self_id": BOT,
    "post_type": "notice",
    "notice_type": "group_recall",
    "group_id": 20001,
    "user_id": 10001,
    "operator_id": 10002,
    "message_id": -77,
}


class TestOtherEvents:
    def test_group_recall(self) -> None:
        assert read_recall(event_of(RECALL)) == Recall("qq:group:20001", "10000", "-77", "qq:user:10002")

    def test_friend_recall(self) -> None:
        data = {**RECALL, "notice_type": "friend_recall", "group_id": None, "operator_id": None}
        assert read_recall(event_of(data)) == Recall("qq:private:10001", "10000", "-77", "qq:user:10001")

    def test_friend_recall_of_the_bots_own_message_does_not_tell_the_chat(self) -> None:
        data = {**RECALL, "notice_type": "friend_recall", "group_id": None, "operator_id": None, "user_id": BOT}
        assert read_recall(event_of(data)) == Recall("", "10000", "-77", "qq:user:10000")

    def test_recall_that_the_adapter_has_no_model_for(self) -> None:
        data = {key: value for key, value in RECALL.items() if key != "operator_id"}
        assert read_recall(event_of(data)) == Recall("qq:group:20001", "10000", "-77", "qq:user:10001")

    @pytest.mark.parametrize(
        "changes", [{"message_id": None}, {"message_id": []}, {"message_id": 0}, {"notice_type": "group_ban"}]
    )
    def test_no_recall(self, changes: dict[str, Any]) -> None:
        assert read_recall(event_of({**RECALL, **changes})) is None

    def test_a_message_is_no_recall(self) -> None:
        assert read_recall(message_of(napcat_group([]))) is None

    @pytest.mark.parametrize(
        ("data", "key"),
        [
            (RECALL, "qq:group:20001"),
            ({"post_type": "notice", "notice_type": "friend_add", "user_id": 10001}, "qq:private:10001"),
            ({"post_type": "request", "request_type": "friend", "user_id": 10001, "flag": "a"}, "qq:private:10001"),
            (
                {
                    "post_type": "notice",
                    "notice_type": "notify",
                    "sub_type": "poke",
                    "user_id": 10001,
                    "target_id": BOT,
                },
                "qq:private:10001",
            ),
            ({"post_type": "meta_event", "meta_event_type": "lifecycle", "sub_type": "connect"}, None),
        ],
    )
    def test_session_of_any_event(self, data: dict[str, Any], key: str | None) -> None:
        assert session_of(event_of({"time": SENT_AT, "self_id": BOT, **data})) == key

    def test_session_of_a_foreign_event(self) -> None:
        assert session_of(SimpleNamespace(user_id="10001", message_type="private")) is None


class TestApiCalls:
    @pytest.mark.parametrize(
        ("api", "data", "key"),
        [
            ("send_msg", {"message_type": "group", "group_id": 20001, "user_id": 10001}, "qq:group:20001"),
            ("send_msg", {"message_type": "private", "group_id": 20001, "user_id": 10001}, "qq:private:10001"),
            ("send_msg", {"user_id": "10001"}, "qq:private:10001"),
            ("send_msg", {"user_id": 10001, "group_id": 20001}, "qq:group:20001"),
            ("send_msg_async", {"user_id": 10001}, "qq:private:10001"),
            ("send_private_msg", {"user_id": 10001, "group_id": 20001}, "qq:private:10001"),
            ("send_group_msg", {"group_id": 20001}, "qq:group:20001"),
            ("send_group_msg", {"group_id": 10000}, "qq:group:10000"),  # a group may have the bot's number
        ],
    )
    def test_where(self, api: str, data: dict[str, Any], key: str) -> None:
        assert read_api_send(api, {**data, "message": "好"}, {"message_id": 7}, "10000") == Sent(key, "好", "7")

    @pytest.mark.parametrize(
        ("message", "text"),
        [
            ("[CQ:at,qq=10001] 好&#91;1&#93;", "@10001 好[1]"),
            ("[CQ:dice]", "[骰子]"),
            (Message("[CQ:reply,id=5]好") + MessageSegment.image(b"QUJD"), "好[图片]"),
            (MessageSegment.text("好"), "好"),
            ([said("好"), seg("image", file="base64://QUJD")], "好[图片]"),
            (said("好"), "好"),
            ([MessageSegment.text("好"), "[CQ:a]"], "好[CQ:a]"),
            (None, ""),
            (5, ""),
        ],
    )
    def test_what(self, message: Any, text: str) -> None:
        sent = read_api_send("send_group_msg", {"group_id": 20001, "message": message}, None, "10000")
        assert sent == Sent("qq:group:20001", text, "")

    def test_cq_codes_that_are_text(self) -> None:
        data = {"group_id": 20001, "message": "[CQ:dice]", "auto_escape": True}
        sent = read_api_send("send_group_msg", data, {}, "10000")
        assert sent is not None
        assert sent.text == "[CQ:dice]"

    @pytest.mark.parametrize(
        ("api", "data", "key"),
        [
            ("send_group_forward_msg", {"group_id": 20001}, "qq:group:20001"),
            ("send_private_forward_msg", {"user_id": 10001}, "qq:private:10001"),
            ("send_forward_msg", {"message_type": "group", "group_id": "20001"}, "qq:group:20001"),
        ],
    )
    def test_forward(self, api: str, data: dict[str, Any], key: str) -> None:
        result = {"message_id": 7, "res_id": "abc"}
        sent = read_api_send(api, {**data, "messages": [seg("node", content="x")]}, result, "10000")
        assert sent == Sent(key, "[合并转发]", "7")

    @pytest.mark.parametrize(
        ("api", "data"),
        [
            ("get_msg", {"message_id": 5}),
            ("send_like", {"user_id": 10001}),
            ("send_group_notice", {"group_id": 20001}),
            ("send_msg", {"message": "好"}),
            ("send_group_msg", {"group_id": "x", "message": "好"}),
            ("send_group_msg", {"user_id": 10001, "message": "好"}),
            ("send_private_msg", {"user_id": 10000, "message": "好"}),
        ],
    )
    def test_nothing_said(self, api: str, data: dict[str, Any]) -> None:
        assert read_api_send(api, data, {"message_id": 7}, "10000") is None

    @pytest.mark.parametrize(
        "result", [None, [], "7", *({"message_id": id} for id in (None, {}, True, 0, "0", -1, "-1"))]
    )
    def test_result_without_an_id(self, result: Any) -> None:
        sent = read_api_send("send_group_msg", {"group_id": 20001, "message": "好"}, result, "10000")
        assert sent == Sent("qq:group:20001", "好", "")

    def test_gocqhttps_negative_id(self) -> None:
        sent = read_api_send("send_group_msg", {"group_id": 20001}, {"message_id": -1216345113}, "10000")
        assert sent == Sent("qq:group:20001", "", "-1216345113")
