"""What the platform knows of one bot account, and how it answers the API calls of OneBot v11."""

import hashlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from .segments import MessageLike, Segment, plain_text, to_cq, to_segments

ANONYMOUS_ID = 80000000
"""The user id that all anonymous members of all groups share."""

BAD_PARAMS = 1400
UNKNOWN_ACTION = 1404
REFUSED = 1200

_STARTED = time.time_ns()
_numbers = itertools.count()


class ApiError(Exception):
    """An answer with status ``failed``; raise it in ``Account.answers`` to refuse a call."""

    def __init__(self, retcode: int, wording: str = "") -> None:
        super().__init__(retcode, wording)
        self.retcode = retcode
        self.wording = wording


class Call(NamedTuple):
    """One API call of the bot, whether or not it was answered."""

    action: str
    params: dict[str, Any]


@dataclass(frozen=True)
class Sent:
    """A message that the bot sent."""

    message_id: int
    user_id: int | None
    """The receiver of a private message, None in a group."""
    group_id: int | None
    text: str
    """The text segments joined; of a merged forward, one line a node."""
    message: list[Segment]
    at: float
    """``time.monotonic()`` when the call was carried out, in seconds."""

    @property
    def mentions(self) -> list[str]:
        """The accounts mentioned, in order."""
        return [segment["data"]["qq"] for segment in self.message if segment["type"] == "at"]

    @property
    def reply_to(self) -> int | None:
        """The id of the message it quotes, or None."""
        return next((int(segment["data"]["id"]) for segment in self.message if segment["type"] == "reply"), None)


class Account:
    """One bot account: its messages, groups and friends, and its answers to API calls.

    Public, to be read or changed by a test at any time:

    - ``calls``, ``sent``: all API calls and all messages sent so far;
    - ``messages`` (by id, as ``get_msg`` returns them), ``forwards`` (the data of ``get_forward_msg`` by id),
      ``members`` (by group, then user), ``friends`` (nicknames by user);
    - ``answers``: what answers an action: params in, data out, :class:`ApiError` to refuse;
    - ``delay`` (seconds, or a function of the params), ``fail`` (a retcode), ``hang``: by action.

    ``clock`` returns seconds since the epoch.
    """

    _sequences: ClassVar[Counter[str]] = Counter()

    def __init__(self, self_id: str, *, nickname: str = "测试机器人", clock: Callable[[], float] = time.time) -> None:
        self.self_id = self_id
        self.nickname = nickname
        self.clock = clock
        self.calls: list[Call] = []
        self.sent: list[Sent] = []
        self.messages: dict[int, dict[str, Any]] = {}
        self.forwards: dict[str, dict[str, Any]] = {}
        self.members: dict[int, dict[int, dict[str, Any]]] = {}
        self.friends: dict[int, str] = {}
        self.delay: dict[str, float | Callable[[dict[str, Any]], float]] = {}
        self.fail: dict[str, int] = {}
        self.hang: set[str] = set()
        self.answers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "send_msg": self._send_msg,
            "send_private_msg": lambda params: self._send(params, "user_id"),
            "send_group_msg": lambda params: self._send(params, "group_id"),
            "send_private_forward_msg": lambda params: self._send_forward(params, "user_id"),
            "send_group_forward_msg": lambda params: self._send_forward(params, "group_id"),
            "delete_msg": self._delete_msg,
            "get_msg": self._get_msg,
            "get_forward_msg": self._get_forward_msg,
            "get_group_member_info": self._get_group_member_info,
            "get_group_member_list": lambda params: list(self._group(int(params["group_id"])).values()),
            "get_group_info": lambda params: self._group_info(int(params["group_id"])),
            "get_group_list": lambda _: [self._group_info(group_id) for group_id in self.members],
            "get_friend_list": lambda _: [
                {"user_id": user_id, "nickname": nickname, "remark": ""} for user_id, nickname in self.friends.items()
            ],
            "get_login_info": lambda _: {"user_id": int(self.self_id), "nickname": self.nickname},
            "get_stranger_info": self._get_stranger_info,
            "get_status": lambda _: {"online": True, "good": True},
            "get_version_info": lambda _: {
                "app_name": "FakeOneBot",
                "app_version": "1.0.0",
                "protocol_version": "v11",
            },
        }

    def answer(self, action: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the frame that answers a call, without its ``echo``; a refusal is a frame too."""
        try:
            if action in self.fail:
                raise ApiError(self.fail[action], "refused by the test")
            if action not in self.answers:
                raise ApiError(UNKNOWN_ACTION, f"不支持的Api {action}")
            data = self.answers[action](params)
        except ApiError as error:
            return _frame("failed", error.retcode, None, error.wording)
        except (KeyError, TypeError, ValueError) as error:
            return _frame("failed", BAD_PARAMS, None, repr(error))
        return _frame("ok", 0, data, "")

    def new_message_id(self) -> int:
        """Return a new id: positive, 32 bits, no order in it, and never that of another account (as NapCat does)."""
        digest = hashlib.md5(f"{self.self_id}:{_STARTED}:{next(_numbers)}".encode()).digest()
        return int.from_bytes(digest[:4], "big") & 0x7FFFFFFF

    def next_seq(self, *, group_id: int | None = None, user_id: int | None = None) -> int:
        """Return the platform's next number in a chat; all accounts in one group count together."""
        chat = f"group:{group_id}" if group_id is not None else f"private:{self.self_id}:{user_id}"
        Account._sequences[chat] += 1
        return _STARTED // 1_000_000_000 + Account._sequences[chat]

    def add_forward(self, nodes: Sequence[tuple[int, str, MessageLike]], *, standard: bool = False) -> str:
        """Keep a merged forward of ``(user_id, nickname, message)`` and return its id.

        ``get_forward_msg`` answers with NapCat's shape (``messages``), or with that of the OneBot standard (``message``
        with node segments). Use a forward segment in a node to nest them.
        """
        forward_id = f"forward-{self.self_id}-{next(_numbers)}"
        if standard:
            contents = [(user_id, nickname, to_segments(message)) for user_id, nickname, message in nodes]
            data = {"message": [_node(*content) for content in contents]}
        else:
            data = {"messages": [self._forwarded(*node) for node in nodes]}
        self.forwards[forward_id] = data
        return forward_id

    def join(self, group_id: int, member: dict[str, Any]) -> None:
        """Make someone a member of a group, or change their card; ``member`` has at least ``user_id``."""
        own = {"group_id": group_id, **self._self_as_sender(), "role": "member"}
        members = self.members.setdefault(group_id, {int(self.self_id): own})
        members[member["user_id"]] = {"group_id": group_id, **member}

    def keep_own(self, segments: list[Segment], *, user_id: int | None = None, group_id: int | None = None) -> int:
        """Keep a message of the account itself for ``get_msg``. Returns its id.

        ``user_id`` is the receiver of a private message. Raises ``ValueError`` unless exactly one chat is given.
        """
        if (user_id is None) == (group_id is None):
            raise ValueError("give a user_id or a group_id")
        message_id = self.new_message_id()
        seq = self.next_seq(user_id=user_id, group_id=group_id)
        chat: dict[str, Any] = {"message_type": "private", "sub_type": "friend", "target_id": user_id}
        if group_id is not None:
            chat = {"message_type": "group", "sub_type": "normal", "group_id": group_id, "target_id": group_id}
        self.messages[message_id] = {
            "time": int(self.clock()),
            "self_id": int(self.self_id),
            "user_id": int(self.self_id),
            "message_id": message_id,
            "message_seq": seq,
            "real_id": message_id,
            "real_seq": str(seq),
            "sender": self._self_as_sender(),
            "message": segments,
            "message_format": "array",
            "raw_message": to_cq(segments),
            "font": 14,
            **chat,
        }
        return message_id

    def own_event(self, message_id: int) -> dict[str, Any]:
        """Return the ``message_sent`` event of an own message. Raises ``KeyError`` when there is none."""
        return {**self.messages[message_id], "post_type": "message_sent", "message_sent_type": "self"}

    def _self_as_sender(self) -> dict[str, Any]:
        return {"user_id": int(self.self_id), "nickname": self.nickname, "card": ""}

    def _send_msg(self, params: dict[str, Any]) -> dict[str, Any]:
        kind = params.get("message_type") or ("group" if params.get("group_id") is not None else "private")
        return self.answers[f"send_{kind}_msg"](params)

    def _send(self, params: dict[str, Any], chat: str) -> dict[str, Any]:
        segments = to_segments(params["message"], cq=not params.get("auto_escape"))
        if not segments:
            raise ApiError(REFUSED, "消息体为空")
        return {"message_id": self._record(segments, plain_text(segments), chat, int(params[chat]))}

    def _send_forward(self, params: dict[str, Any], chat: str) -> dict[str, Any]:
        nodes: list[Segment] = params["messages"]
        contents = [
            (
                int(data.get("user_id") or data.get("uin") or self.self_id),
                str(data.get("nickname") or data.get("name") or self.nickname),
                to_segments(data["content"], cq=True),
            )
            for data in (node["data"] for node in nodes)
        ]
        lines = "\n".join(plain_text(segments) for _, _, segments in contents)
        message_id = self._record(nodes, lines, chat, int(params[chat]))
        return {"message_id": message_id, "forward_id": self.add_forward(contents)}

    def _record(self, segments: list[Segment], text: str, chat: str, chat_id: int) -> int:
        user_id, group_id = (chat_id, None) if chat == "user_id" else (None, chat_id)
        message_id = self.keep_own(segments, user_id=user_id, group_id=group_id)
        self.sent.append(Sent(message_id, user_id, group_id, text, segments, time.monotonic()))
        return message_id

    def _forwarded(self, user_id: int, nickname: str, message: MessageLike) -> dict[str, Any]:
        segments = to_segments(message)
        return {
            "time": int(self.clock()),
            "message_type": "group",
            "message_id": self.new_message_id(),
            "user_id": user_id,
            "sender": {"user_id": user_id, "nickname": nickname, "card": ""},
            "message": segments,
            "raw_message": to_cq(segments),
        }

    def _delete_msg(self, params: dict[str, Any]) -> None:
        if self.messages.pop(int(params["message_id"]), None) is None:
            raise ApiError(REFUSED, "消息不存在")

    def _get_msg(self, params: dict[str, Any]) -> dict[str, Any]:
        message = self.messages.get(int(params["message_id"]))
        if message is None:
            raise ApiError(REFUSED, "消息不存在")
        return message

    def _get_forward_msg(self, params: dict[str, Any]) -> dict[str, Any]:
        data = self.forwards.get(str(params.get("id") or params["message_id"]))
        if data is None:
            raise ApiError(REFUSED, "找不到相关的聊天记录")
        return data

    def _group(self, group_id: int) -> dict[int, dict[str, Any]]:
        if group_id not in self.members:
            raise ApiError(REFUSED, f"群{group_id}不存在")
        return self.members[group_id]

    def _group_info(self, group_id: int) -> dict[str, Any]:
        return {"group_id": group_id, "group_name": f"群{group_id}", "member_count": len(self._group(group_id))}

    def _get_group_member_info(self, params: dict[str, Any]) -> dict[str, Any]:
        member = self._group(int(params["group_id"])).get(int(params["user_id"]))
        if member is None:
            raise ApiError(REFUSED, "群成员不存在")
        return member

    def _get_stranger_info(self, params: dict[str, Any]) -> dict[str, Any]:
        user_id = int(params["user_id"])
        known = (members[user_id]["nickname"] for members in self.members.values() if user_id in members)
        return {
            "user_id": user_id,
            "nickname": self.friends.get(user_id) or next(known, ""),
            "sex": "unknown",
            "age": 0,
        }


def _frame(status: str, retcode: int, data: Any, wording: str) -> dict[str, Any]:
    return {"status": status, "retcode": retcode, "data": data, "message": wording, "wording": wording}


def _node(user_id: int, nickname: str, segments: list[Segment]) -> Segment:
    return {"type": "node", "data": {"user_id": str(user_id), "nickname": nickname, "content": segments}}
