"""What the messages that a fake OneBot client pushes may be given; a field left out is filled as the platform would."""

from collections.abc import Mapping
from typing import Any, TypedDict


class Options(TypedDict, total=False):
    """What any message may be given."""

    nickname: str
    reply_to: int | None
    """A message id to quote."""
    time: int | None
    """Whole seconds since the epoch."""
    message_id: int | None
    seq: int | None
    """The platform's number of the message in its chat, the same for every account in a group."""
    cq: bool
    """Whether the message goes out as a string with CQ codes, not as an array."""
    extra: Mapping[str, Any]
    """Raw fields of the event, added or overridden last."""


class PrivateOptions(Options, total=False):
    """What a private message may be given."""

    sub_type: str
    """``friend``, or ``group`` for a temporary chat that began in a group."""


class GroupOptions(Options, total=False):
    """What a group message may be given."""

    card: str
    role: str
    """``owner``, ``admin`` or ``member``."""
    at_bot: bool
    """Whether a mention of the bot goes in front."""
    anonymous: str | Mapping[str, Any] | None
    """The name of a mask, or the whole object; the user id becomes the one that all anonymous members share."""
