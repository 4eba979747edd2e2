"""The working summary: what a session was about so far. It belongs to the session and is never an item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from .. import text
from ..errors import BadOutputError
from ..extract.checks import against_the_prompt
from ..extract.llm import inside_block
from ..extract.secrets import mask
from ..extract.transcript import Transcript, build_transcript
from ..models import Turn, TurnState
from . import prompts
from .answer import PURPOSE

if TYPE_CHECKING:
    from ..llm import ChatModel, Completion

EVERY_TURNS = 12
SHARE_OF_HISTORY = 0.7
"""Of the tokens that one prompt may hold of earlier turns."""
SUMMARY_CHARS = 600


def is_due(turns: Sequence[Turn], history_tokens: int, *, settled: bool) -> bool:
    """Whether ``turns``, which the summary does not cover yet, call for a new one. ``settled``: something was decided
    or finished in them."""
    spoken = [turn for turn in turns if turn.stands and turn.role != "tool" and turn.state is TurnState.ORDINARY]
    if not any(turn.role == "user" for turn in spoken):
        return False
    tokens = sum(text.count_tokens(turn.text) for turn in spoken)
    return settled or len(spoken) >= EVERY_TURNS or tokens >= SHARE_OF_HISTORY * history_tokens


async def write(
    model: ChatModel,
    before: str,
    turns: Sequence[Turn],
    *,
    bots: frozenset[str],
    zone: tzinfo,
    spent: list[Completion],
) -> str:
    """The summary of ``before`` and ``turns``. Raises ProviderError, also where the answer is none."""
    transcript = build_transcript(turns, timezone=zone, bots=bots)
    user = prompts.SUMMARY_USER.format(
        summary=inside_block(before).replace("</", "〈/") or prompts.NOTHING,
        block=prompts.BLOCK,
        transcript=inside_block(transcript.text),
    )
    messages = [{"role": "system", "content": prompts.SUMMARY_SYSTEM}, {"role": "user", "content": user}]
    completion = await model.complete(messages, purpose=PURPOSE)
    spent.append(completion)
    return _checked(_with_names(completion.text, transcript))


def _checked(summary: str) -> str:
    summary = text.cut(mask(text.clean(summary)), SUMMARY_CHARS)
    if not any(map(str.isalnum, summary)):
        raise BadOutputError(PURPOSE, "the summary is empty")
    if summary.startswith(("{", "[", "```")) or against_the_prompt(summary):
        raise BadOutputError(PURPOSE, "the answer is no summary")
    return summary


def _with_names(summary: str, transcript: Transcript) -> str:
    """``summary`` with people in place of their placeholders."""

    def named(match: re.Match[str]) -> str:
        account = transcript.accounts.get(match[0])
        return text.person(transcript.names.get(account, ""), account) if account is not None else match[0]

    return re.sub(r"(?<![0-9A-Za-z])u\d{1,6}(?![0-9A-Za-z])", named, summary)
