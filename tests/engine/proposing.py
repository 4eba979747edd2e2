"""A proposal written as a batch would write it."""

from __future__ import annotations

from typing import Any

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.models import Proposal
from nonebot_plugin_scoped_memory.engine.source import Source
from nonebot_plugin_scoped_memory.engine.writing import write_proposals

from .helpers import GROUP, OPERATOR, Memory


async def propose(memo: Memory, proposal: Proposal, session: str = GROUP, *, actor: Actor = OPERATOR, **source: Any):
    """Write one proposal as a batch would."""
    async with memo.write(session) as tx:
        turns = {turn.n: turn for turn in await tx.turns(session, proposal.evidence)}
        made = Source(session, turns, actor, memo.clock(), **source)
        (outcome,) = await write_proposals(tx, [proposal], made, memo.engine.settings)
    return outcome
