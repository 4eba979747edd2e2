"""A real OneBot v11 client: it connects to a running bot by reverse WebSocket, as NapCat does, and plays the chat."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import Unpack

from .account import ANONYMOUS_ID, Sent
from .link import Link
from .options import GroupOptions, Options, PrivateOptions
from .segments import MessageLike, Segment, at, reply, text, to_cq, to_segments


@dataclass(frozen=True)
class Say:
    """One step of a script: someone speaks, in a group or in private."""

    user_id: int
    message: MessageLike
    group_id: int | None = None
    nickname: str = ""
    at_bot: bool = False
    answer: bool = True
    """Whether the bot must answer before the script goes on."""


class OneBotClient(Link):
    """One QQ account at the other end of the bot's reverse WebSocket: ``async with OneBotClient(port) as qq:``.

    ``cq`` sends all messages as strings with CQ codes. ``napcat_seq`` fills ``message_seq`` with the message id, as
    NapCat does, so that only ``real_seq`` has the platform's number. See :class:`Link` for the other options,
    :class:`Account` for what a test may read and set.
    """

    def __init__(
        self,
        port: int,
        self_id: str = "10000",
        *,
        access_token: str | None = None,
        nickname: str = "测试机器人",
        heartbeat: float = 5.0,
        patience: float = 5.0,
        cq: bool = False,
        napcat_seq: bool = False,
        report_self: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(
            port,
            self_id,
            nickname=nickname,
            clock=clock,
            access_token=access_token,
            heartbeat=heartbeat,
            patience=patience,
            report_self=report_self,
        )
        self.cq = cq
        self.napcat_seq = napcat_seq
        self._taken: set[int] = set()

    # What happens in the chat

    async def notice(self, fields: Mapping[str, Any]) -> None:
        """Send a notice event with these fields; time and account are added."""
        await self.push(self.event("notice", **fields))

    async def private(self, user_id: int, message: MessageLike, **options: Unpack[PrivateOptions]) -> int:
        """Someone writes to the bot in private. Returns the message id."""
        nickname = options.get("nickname", "")
        sub_type = options.get("sub_type", "friend")
        if sub_type == "friend":
            self.friends[user_id] = nickname
        chat = {"message_type": "private", "sub_type": sub_type, "user_id": user_id}
        sender = {"user_id": user_id, "nickname": nickname, "card": ""}
        return await self._say({**chat, "sender": sender}, to_segments(message), options)

    async def group(self, group_id: int, user_id: int, message: MessageLike, **options: Unpack[GroupOptions]) -> int:
        """Someone speaks in a group. Returns the message id."""
        mask = options.get("anonymous")
        if isinstance(mask, str):
            mask = {"id": 1000000 + sum(map(ord, mask)), "name": mask, "flag": ""}
        sender = {
            "user_id": user_id if mask is None else ANONYMOUS_ID,
            "nickname": options.get("nickname", ""),
            "card": options.get("card", ""),
            "role": options.get("role", "member"),
        }
        if mask is None:
            self.join(group_id, sender)
        segments = to_segments(message)
        if options.get("at_bot"):
            segments = _mention(self.self_id, segments)
        chat = {
            "message_type": "group",
            "sub_type": "normal" if mask is None else "anonymous",
            "group_id": group_id,
            "user_id": sender["user_id"],
            "anonymous": mask,
        }
        return await self._say({**chat, "sender": sender}, segments, options)

    @staticmethod
    async def broadcast_group(
        clients: "Sequence[OneBotClient]",
        group_id: int,
        user_id: int,
        message: MessageLike,
        *,
        replies: Sequence[int] | None = None,
        **options: Unpack[GroupOptions],
    ) -> list[int]:
        """Deliver one group message to several accounts of the bot, as the platform does. Returns the message ids.

        Time and sequence are the same for all, the ids differ. ``at_bot`` mentions the first account only;
        ``replies`` has the quoted message's id for each account.
        """
        first = clients[0]
        segments = to_segments(message)
        if options.pop("at_bot", False):
            segments = _mention(first.self_id, segments)
        options.setdefault("time", int(first.clock()))
        options.setdefault("seq", first.next_seq(group_id=group_id))
        ids: list[int] = []
        for index, client in enumerate(clients):
            if replies is not None:
                options["reply_to"] = replies[index]
            ids.append(await client.group(group_id, user_id, segments, **options))
        return ids

    async def recall_group(self, group_id: int, user_id: int, message_id: int, operator_id: int | None = None) -> None:
        """A group message of ``user_id`` is taken back, by ``operator_id`` or its author. ``get_msg`` then fails."""
        self.messages.pop(message_id, None)
        operator_id = user_id if operator_id is None else operator_id
        fields = {"group_id": group_id, "user_id": user_id, "operator_id": operator_id, "message_id": message_id}
        await self.notice({"notice_type": "group_recall", **fields})

    async def recall_friend(self, user_id: int, message_id: int) -> None:
        """A message in the chat with a friend is taken back. ``get_msg`` then fails."""
        self.messages.pop(message_id, None)
        await self.notice({"notice_type": "friend_recall", "user_id": user_id, "message_id": message_id})

    async def message_sent(
        self, message: Sent | MessageLike, *, user_id: int | None = None, group_id: int | None = None
    ) -> int:
        """The platform reports the bot's own words: a message it sent, or one that its owner typed on a phone.

        ``user_id`` is the receiver of a private message. Returns the message id.
        """
        if isinstance(message, Sent):
            message_id = message.message_id
        else:
            message_id = self.keep_own(to_segments(message), user_id=user_id, group_id=group_id)
        await self.push(self.own_event(message_id))
        return message_id

    # What the bot says

    def mark(self) -> int:
        """Return a point in the bot's messages, to be given to :meth:`wait_sent` as ``since``."""
        return len(self.sent)

    async def wait_sent(
        self,
        count: int = 1,
        timeout: float = 5.0,
        *,
        user_id: int | None = None,
        group_id: int | None = None,
        contains: str | None = None,
        since: int | None = None,
    ) -> list[Sent]:
        """Return the first ``count`` messages of the bot that fit, waiting for those that are still to come.

        A message that an earlier wait or ask has returned is not returned again, unless ``since`` says from where.
        ``user_id`` means private messages to that user. Raises ``TimeoutError`` after ``timeout`` seconds,
        ``ConnectionError`` when the connection ends first.
        """

        def fits(index: int, sent: Sent) -> bool:
            fresh = index not in self._taken if since is None else index >= since
            here = (group_id is None or sent.group_id == group_id) and (user_id is None or sent.user_id == user_id)
            return fresh and here and (contains is None or contains in sent.text)

        def found() -> list[int] | None:
            indexes = [index for index, sent in enumerate(self.sent) if fits(index, sent)]
            return indexes[:count] if len(indexes) >= count else None

        def complaint() -> str:
            last = [sent.text for sent in self.sent[-5:]]
            return f"{count} message(s) of the bot ({user_id=}, {group_id=}, {contains=}) did not come; last: {last}"

        indexes = await self.until(found, timeout, complaint)
        self._taken.update(indexes)
        return [self.sent[index] for index in indexes]

    async def wait_calls(self, action: str, count: int = 1, timeout: float = 5.0) -> list[dict[str, Any]]:
        """Return the params of all calls of an action, as soon as there are ``count``. Errors as :meth:`wait_sent`."""

        def found() -> list[dict[str, Any]] | None:
            params = [call.params for call in self.calls if call.action == action]
            return params if len(params) >= count else None

        return await self.until(found, timeout, lambda: f"the bot did not call {action} {count} time(s)")

    async def ask_private(
        self, user_id: int, message: MessageLike, timeout: float = 5.0, **options: Unpack[PrivateOptions]
    ) -> str:
        """Say something in private and return the text of the bot's next message there. Errors as :meth:`wait_sent`."""
        since = self.mark()
        await self.private(user_id, message, **options)
        return (await self.wait_sent(1, timeout, user_id=user_id, since=since))[0].text

    async def ask_group(
        self, group_id: int, user_id: int, message: MessageLike, timeout: float = 5.0, **options: Unpack[GroupOptions]
    ) -> str:
        """Speak in a group and return the text of the bot's next message there. Errors as :meth:`wait_sent`."""
        since = self.mark()
        await self.group(group_id, user_id, message, **options)
        return (await self.wait_sent(1, timeout, group_id=group_id, since=since))[0].text

    async def play(self, script: Iterable[Say], timeout: float = 5.0) -> list[str | None]:
        """Play the steps in order. Returns the bot's answer to each, None where none is awaited.

        ``timeout`` is in seconds for each answer. Errors as :meth:`wait_sent`.
        """
        answers: list[str | None] = []
        for step in script:
            since = self.mark()
            if step.group_id is None:
                await self.private(step.user_id, step.message, nickname=step.nickname)
            else:
                await self.group(step.group_id, step.user_id, step.message, nickname=step.nickname, at_bot=step.at_bot)
            if not step.answer:
                answers.append(None)
                continue
            user_id = step.user_id if step.group_id is None else None
            sent = await self.wait_sent(1, timeout, user_id=user_id, group_id=step.group_id, since=since)
            answers.append(sent[0].text)
        return answers

    async def _say(self, fields: Mapping[str, Any], segments: list[Segment], options: Options) -> int:
        message_id = options.get("message_id")
        message_id = self.new_message_id() if message_id is None else message_id
        seq = options.get("seq")
        seq = self.next_seq(user_id=fields["user_id"], group_id=fields.get("group_id")) if seq is None else seq
        reply_to = options.get("reply_to")
        segments = segments if reply_to is None else [reply(reply_to), *segments]
        cq = options.get("cq", self.cq)
        message = {
            **self.event("message", **fields),
            "message_id": message_id,
            "message_seq": message_id if self.napcat_seq else seq,
            "real_id": message_id,
            "real_seq": str(seq),
            "message": to_cq(segments) if cq else segments,
            "message_format": "string" if cq else "array",
            "raw_message": to_cq(segments),
            "font": 14,
        }
        if (when := options.get("time")) is not None:
            message["time"] = when
        message.update(options.get("extra", {}))
        self.messages[message_id] = message
        await self.push(message)
        return message_id


def _mention(self_id: str, segments: list[Segment]) -> list[Segment]:
    """Return the message with a mention in front and the space that QQ puts after it."""
    if segments and segments[0]["type"] == "text":
        segments = [text(" " + segments[0]["data"]["text"]), *segments[1:]]
    return [at(self_id), *segments]
