"""What each client sends, as a turn: who said it and where, when, and whether the bot was meant."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.onebot import event_number, session_of
from nonebot_plugin_scoped_memory.engine.errors import InvalidAddressError
from nonebot_plugin_scoped_memory.engine.models import TurnState
from tests.bot.raw_events import (
    BOT,
    NOW,
    OTHER_BOT,
    SENT_AT,
    gocqhttp_group,
    lagrange_group,
    message_of,
    napcat_group,
    napcat_private,
    read,
    read_event,
    received,
    said,
    seg,
)


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
        assert (incoming.to_bot, incoming.to_me, incoming.anonymous) == (False, False, False)
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
        assert (incoming.to_bot, incoming.to_me, incoming.role) == (True, True, "")

    @pytest.mark.parametrize("changes", [{}, {"group_id": 20001, "temp_source": 0}, {"group_id": 284840486}])
    def test_temporary_private_chat_is_private_with_that_user(self, changes: dict[str, Any]) -> None:
        incoming = read(napcat_private([said("你好")], sub_type="group", **changes))
        assert (incoming.session_key, incoming.role) == ("qq:private:10001", "")
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
        assert read({**data, "sender": {"user_id": 80000000, "role": "owner"}}).role == "member"

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

    @pytest.mark.parametrize("role", ["owner", "admin", "member", None, "ADMIN!"])
    def test_role_in_a_group(self, role: str | None) -> None:
        data = napcat_group([said("在")], sender={"user_id": 10001, "nickname": "明", "role": role})
        assert read(data).role == (role if role in ("owner", "admin") else "member")

    def test_no_role_in_private(self) -> None:
        assert read(napcat_private([said("在")], sender={"user_id": 10001, "role": "owner"})).role == ""


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
