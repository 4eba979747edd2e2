"""OneBot events as each client sends them, and short ways to read them. The adapter makes them from JSON, its own first
steps included."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

from nonebot.adapters.onebot.v11 import Adapter, Event, MessageEvent
from nonebot.adapters.onebot.v11.bot import _check_at_me, _check_nickname, _check_reply

from nonebot_plugin_scoped_memory.bot.onebot import Incoming, read_message

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
