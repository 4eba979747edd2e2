"""Whether somebody is learnt about: optout, optin, mute."""

from __future__ import annotations

import re
from datetime import timedelta

from ... import texts
from ...engine.engine import MemoryEngine
from .request import Request, moment

LONGEST_MUTE = timedelta(days=30)
_SPAN = re.compile(r"(\d{1,5})\s*([a-z]+|[\u4e00-\u9fff]+)")


async def optout(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``optout [everywhere]``"""
    everywhere = _everywhere(argument)
    if everywhere is None:
        await request.reply(texts.LEARNING_USAGE.format(command="optout"))
    elif not request.account:
        await request.reply(texts.LEARNING_ANONYMOUS)
    else:
        await engine.set_learning(
            request.session_key, request.account, on=False, everywhere=everywhere, domain_id=request.domain_id
        )
        await request.reply(texts.OPTOUT_EVERYWHERE if everywhere else texts.OPTOUT_HERE)


async def optin(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``optin [everywhere]``"""
    everywhere = _everywhere(argument)
    if everywhere is None:
        await request.reply(texts.LEARNING_USAGE.format(command="optin"))
        return
    if not request.account:
        await request.reply(texts.LEARNING_ANONYMOUS)
        return
    await engine.set_learning(
        request.session_key, request.account, on=True, everywhere=everywhere, domain_id=request.domain_id
    )
    learns = await engine.learns_about(request.session_key, request.account, domain_id=request.domain_id)
    await request.reply(texts.OPTIN_HERE if learns else texts.OPTIN_STILL_OFF)


async def mute(engine: MemoryEngine, request: Request, argument: str) -> None:
    """``mute <2h>``: not learnt from in this chat for so long."""
    span = span_of(argument)
    if span is None:
        await request.reply(texts.MUTE_USAGE)
    elif not request.account:
        await request.reply(texts.LEARNING_ANONYMOUS)
    else:
        until = engine.clock() + span
        await engine.set_learning(
            request.session_key, request.account, on=False, until=until, domain_id=request.domain_id
        )
        await request.reply(texts.MUTE_DONE.format(until=moment(engine, until)))


def span_of(argument: str) -> timedelta | None:
    """``2h``, ``30分钟``: a span of at most LONGEST_MUTE; None for anything else."""
    match = _SPAN.fullmatch(argument.strip().lower())
    seconds = int(match[1]) * texts.SECONDS.get(match[2], 0) if match else 0
    span = timedelta(seconds=seconds)
    return span if timedelta() < span <= LONGEST_MUTE else None


def _everywhere(argument: str) -> bool | None:
    """Whether it is meant for all chats; None if the words say something else."""
    word = argument.strip().lower()
    return False if not word else True if word in texts.EVERYWHERE else None
