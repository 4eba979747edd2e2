"""One private message a day for operators about what dreams did: counts, never contents."""

from __future__ import annotations

import logging

import nonebot
from nonebot.adapters.onebot.v11 import ActionFailed, Bot, MessageSegment, NetworkError

from .. import texts
from ..engine.dreaming.sweeping import SweepReport
from ..engine.engine import MemoryEngine
from ..engine.scope import GLOBAL_SCOPE

logger = logging.getLogger(__name__)

SENT = "dream_digest"
"""The setting that keeps the day of the last one, so that a restart sends none twice."""


_wanted = False


def want(wanted: bool) -> None:
    """Called when the memory is opened: jobs are plain functions, and find no settings of their own."""
    global _wanted
    _wanted = wanted


async def send(engine: MemoryEngine, report: SweepReport) -> None:
    """Send it, if it is wanted, something changed or failed, and none was sent today."""
    text = await _text(engine, report) if _wanted else ""
    if not text:
        return
    today = engine.today()
    view = engine.store.view(engine.domain_id, (GLOBAL_SCOPE,))
    if (await view.chat_settings(GLOBAL_SCOPE)).get(SENT) == today:
        return
    async with engine.store.write(engine.domain_id, (GLOBAL_SCOPE,)) as tx:
        await tx.set_chat_setting(GLOBAL_SCOPE, SENT, today, by="system", at=engine.clock())
    for number in sorted(nonebot.get_driver().config.superusers):
        await _send_to(number, text)


async def _text(engine: MemoryEngine, report: SweepReport) -> str:
    runs = [one.run for one in report.dreams if one.run is not None]
    changed = sum(run.count("applied") for run in runs)
    waiting = sum(run.count("waiting") for run in runs)
    failed = report.failed + sum(run.status == "failed" for run in runs)
    if not (changed or waiting or failed):
        return ""
    reviews = len(await engine.pending_reviews(limit=1_000))
    return texts.DIGEST.format(sessions=len(runs), changed=changed, waiting=waiting, reviews=reviews, failed=failed)


async def _send_to(number: str, text: str) -> None:
    """Through the first of our bots that knows the operator."""
    for bot in nonebot.get_bots().values():
        if not isinstance(bot, Bot):
            continue
        try:
            await bot.call_api("send_private_msg", user_id=int(number), message=[MessageSegment.text(text)])
        except (ActionFailed, NetworkError, ValueError) as e:
            logger.warning("the digest was not sent: %s", type(e).__name__)
        else:
            return
