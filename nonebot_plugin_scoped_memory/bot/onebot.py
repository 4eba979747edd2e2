"""OneBot v11 events as engine records. The only place that reads an event; pure functions, no clock inside.

The field rules of many clients meet here: ids as int or text, sequence numbers that are none, times in milliseconds,
anonymous members who share one number, private chats that carry a group id.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Literal

from nonebot.adapters.onebot.v11 import Event, MessageEvent
from nonebot.adapters.onebot.v11.event import Reply

from .. import texts
from ..engine.address import Address
from ..engine.errors import InvalidAddressError
from ..engine.models import NewTurn, Quote, TurnState
from .segments import ANONYMOUS_ID, account_of, mentioned_ids, name_of, number_of, plain, render

MAX_QUOTE_CHARS = 500
"""Quoted words beyond this are left out."""

_FUTURE = timedelta(days=1)
_ROLES = frozenset({"member", "admin", "owner"})
_SEND = frozenset({"send_msg", "send_private_msg", "send_group_msg"})
_SEND_FORWARD = frozenset({"send_forward_msg", "send_private_forward_msg", "send_group_forward_msg"})


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message as it came in.

    ``to_bot``: said to one of our bots (private, by name, mentioned anywhere, or quoting it). ``to_me``: said to the
    bot of this connection, the one that may answer; never by a bot, lest two of them talk forever.
    ``role`` is ``member``, ``admin`` or ``owner``, empty in private. ``account`` is empty for nobody in particular.
    ``unplaced`` is a quote that may be of this chat, and is no part of the turn.
    """

    session_key: str
    turn: NewTurn
    to_bot: bool
    to_me: bool
    self_id: str
    account: str
    anonymous: bool
    role: str
    unplaced: Quote | None


@dataclass(frozen=True, slots=True)
class Recall:
    """A message was taken back by ``operator`` (an account). ``session_key`` is empty if the event does not tell it:
    a bot's own message that was recalled in a private chat has only the bot's number."""

    session_key: str
    self_id: str
    message_id: str
    operator: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What a bot sent. ``message_id`` is empty if the client did not answer with one."""

    session_key: str
    text: str
    message_id: str


def read_message(
    event: MessageEvent,
    *,
    bots: Container[str],
    superusers: Container[str],
    now: datetime,
) -> Incoming:
    """A message event as an open turn.

    ``bots`` are the self ids of all connected bots, ``superusers`` NoneBot's setting, ``now`` an aware time that stands
    in for an absurd one. Raises InvalidAddressError for a chat without an address: a guild, a group or a sender
    without a number. No message text and no name raises.
    """
    session_key = _session_key(event)
    self_id, user_id = str(event.self_id), str(event.user_id)
    group = event.message_type == "group"
    anonymous = _is_anonymous(event)
    account = "" if anonymous else account_of(event.user_id)
    own = not anonymous and (user_id == self_id or user_id in bots)
    rendered = render(event.original_message)
    quote, unplaced = _quoted(event)
    asked = mentioned_ids(event.original_message) | ({_sender_id(event.reply)} if quote or unplaced else set())
    message_id = _message_id(event.message_id)
    to_me = not group or event.to_me or self_id in asked
    turn = NewTurn(
        role="bot" if own else "user",
        text=rendered.text,
        said_at=_said_at(event.time, now),
        account=account,
        name=_speaker_name(event, anonymous),
        state=TurnState.OPEN,
        quotes=(quote,) if quote else (),
        mentions=rendered.mentions,
        seq=event_number(event),
        message_ids=((self_id, message_id),) if message_id else (),
        by_operator=bool(account) and not own and _is_superuser(user_id, superusers),
    )
    return Incoming(
        session_key=session_key,
        turn=turn,
        to_bot=to_me or any(number in bots for number in asked),
        to_me=to_me and not own,
        self_id=self_id,
        account=account,
        anonymous=anonymous,
        role=_role(event) if group else "",
        unplaced=unplaced,
    )


def place_of(event: object) -> str:
    """The chat of an event for a log line, as far as it tells; never raises."""
    kind, number = next(
        ((kind, number) for kind in ("group", "user") if (number := number_of(getattr(event, f"{kind}_id", None)))),
        ("event", 0),
    )
    return f"qq:{'private' if kind == 'user' else kind}:{number or '?'}"


def read_recall(event: Event) -> Recall | None:
    """A recall notice; None for every other event."""
    if getattr(event, "notice_type", None) not in ("group_recall", "friend_recall"):
        return None
    message_id = _message_id(getattr(event, "message_id", None))
    if not message_id:
        return None
    operator = getattr(event, "operator_id", None) or getattr(event, "user_id", None)
    return Recall(session_of(event) or "", str(event.self_id), message_id, account_of(operator))


def read_api_send(api: str, data: Mapping[str, object], result: object, self_id: str) -> Sent | None:
    """What an API call of a bot said, and to whom; None if it is no message to a chat.

    ``data`` and ``result`` are as ``Bot.on_called_api`` gives them. A merged forward is only its placeholder.
    """
    action = api.removesuffix("_async").removesuffix("_rate_limited")
    if action not in _SEND | _SEND_FORWARD:
        return None
    user_id, group_id = number_of(data.get("user_id")), number_of(data.get("group_id"))
    kind = next((kind for kind in ("private", "group") if f"_{kind}_" in action), data.get("message_type"))
    if kind not in ("private", "group"):
        kind = "group" if group_id else "private"
    number = group_id if kind == "group" else user_id
    if not number or (kind == "private" and number in (ANONYMOUS_ID, number_of(self_id))):
        return None
    message = data.get("message", "")
    if action in _SEND_FORWARD:
        message = {"type": "forward"}
    elif isinstance(message, str) and data.get("auto_escape") in (True, 1, "true", "True", "1"):
        message = plain(message)
    message_id = _message_id(result.get("message_id")) if isinstance(result, Mapping) else ""
    return Sent(f"qq:{kind}:{number}", render(message).text, message_id)


def session_of(event: object) -> str | None:
    """The session key of the chat that an event belongs to; None if it belongs to none, or is not of OneBot v11."""
    if not isinstance(event, Event):
        return None
    try:
        return _session_key(event)
    except InvalidAddressError:
        return None


def event_number(event: Event) -> int:
    """The platform's sequence number of a message, 0 where it has none.

    NapCat repeats the message id, a hash, as ``message_seq`` and has the real one as ``real_seq``.
    """
    real, given = (number_of(getattr(event, key, None)) for key in ("real_seq", "message_seq"))
    return real or (given if given != number_of(getattr(event, "message_id", None)) else 0)


def _session_key(event: Event) -> str:
    group_id, user_id = number_of(getattr(event, "group_id", None)), number_of(getattr(event, "user_id", None))
    # A temporary private chat may carry the group it was opened from: the message type decides where there is one.
    kind = getattr(event, "message_type", None) or ("group" if group_id else "private")
    if kind == "group":
        if not group_id:
            raise InvalidAddressError("qq:group:", "a group event without a group id")
        return Address("qq", "group", str(group_id)).chat_key
    if kind != "private":
        raise InvalidAddressError(f"qq:{kind}", "neither private nor group")
    if user_id == event.self_id:  # the bot's own words: the other side is the target
        user_id = number_of(getattr(event, "target_id", None))
    if user_id in (0, ANONYMOUS_ID, event.self_id):
        raise InvalidAddressError("qq:private:", "a private event that names nobody in particular")
    return Address("qq", "private", str(user_id)).chat_key


def _is_anonymous(event: MessageEvent) -> bool:
    """Anonymous objects are no sign: some clients send an empty one with every message, some none at all."""
    return event.sub_type == "anonymous" or event.user_id <= 0 or event.user_id == ANONYMOUS_ID


def _is_superuser(user_id: str, superusers: Container[str]) -> bool:
    """The rule of NoneBot's SUPERUSER, for this adapter."""
    return user_id in superusers or f"onebot:{user_id}" in superusers


def _speaker_name(event: MessageEvent, anonymous: bool) -> str:
    if anonymous:
        mask = getattr(event, "anonymous", None)
        return (
            name_of(mask.get("name") if isinstance(mask, Mapping) else getattr(mask, "name", None)) or texts.ANONYMOUS
        )
    return name_of(event.sender.card, event.sender.nickname) or str(event.user_id)


def _role(event: MessageEvent) -> str:
    role = event.sender.role
    return role if role in _ROLES and not _is_anonymous(event) else "member"


def _said_at(seconds: int, now: datetime) -> datetime:
    if not 0 < seconds <= (now + _FUTURE).timestamp():
        return now
    return datetime.fromtimestamp(seconds, timezone.utc)


def _sender_id(reply: Reply | None) -> str:
    return str(reply.sender.user_id) if reply and reply.sender.user_id else ""


def _quoted(event: MessageEvent) -> tuple[Quote | None, Quote | None]:
    """What a message quotes, if it is of this chat or may be.

    The adapter fetches it by a short id that some clients make by hashing: it may name a message of another chat, and
    not every client tells which chat that is.
    """
    reply = event.reply
    place = _place(reply, event) if reply else None
    if reply is None or place is None:
        return None, None
    account = account_of(_sender_id(reply))
    fallback = account.rsplit(":", 1)[-1] or (texts.ANONYMOUS if _sender_id(reply) else texts.SOMEONE)
    name = name_of(reply.sender.card, reply.sender.nickname) or fallback
    message_id = _message_id(reply.message_id)
    quote = Quote(account, name, render(reply.message, MAX_QUOTE_CHARS, note="…").text, "reply", message_id)
    return (quote, None) if place == "here" else (None, quote)


def _place(reply: Reply, event: MessageEvent) -> Literal["here", "unknown"] | None:
    """Whether the client says that ``reply`` is of this chat; None if it is of another one."""
    if reply.message_type != event.message_type:
        return None
    if event.message_type == "group":
        group_id = number_of(getattr(reply, "group_id", None))
        if not group_id:
            return "unknown"
        return "here" if group_id == number_of(getattr(event, "group_id", None)) else None
    if _sender_id(reply) != str(event.self_id):
        return "here" if _sender_id(reply) == str(event.user_id) else None
    receivers = (number_of(getattr(reply, key, None)) for key in ("target_id", "user_id", "peer_id"))
    return "here" if event.user_id in receivers else "unknown"


def _message_id(value: object) -> str:
    """A message id as text: an int, negative with some clients, or what a client sends instead. Empty for none: that
    is 0 with some clients, and -1 for what was not sent."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 2**63 else ""
    return value if isinstance(value, str) and len(value) <= 128 and value not in ("0", "-1") else ""
