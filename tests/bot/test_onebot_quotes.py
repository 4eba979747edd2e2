"""Quoted messages: whose words they are, and whether they are of this chat."""

from __future__ import annotations

from typing import Any

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.onebot import MAX_QUOTE_CHARS
from nonebot_plugin_scoped_memory.engine.models import Quote
from tests.bot.raw_events import (
    BOT,
    OTHER_BOT,
    SENT_AT,
    gocqhttp_group,
    lagrange_group,
    napcat_group,
    napcat_private,
    read_event,
    received,
    said,
    seg,
)


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
        assert incoming.turn.quotes == (Quote("qq:user:10002", "小红", "我没有对象[图片]", "reply", "55"),)
        assert incoming.turn.text == "@10002 哈哈"
        assert not incoming.to_bot

    async def test_the_bot_itself(self) -> None:
        bot = quoted("我没有对象", BOT, sender={"user_id": BOT, "nickname": "小忆", "card": ""})
        incoming = read_event(await received(gocqhttp_group("[CQ:reply,id=-55]哈哈"), bot))
        assert incoming.turn.quotes == (Quote("qq:user:10000", "小忆", "我没有对象", "reply", "55"),)
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
        assert incoming.unplaced == Quote(f"qq:user:{OTHER_BOT}", "小红", "我的猫叫豆豆", "reply", "55")
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
