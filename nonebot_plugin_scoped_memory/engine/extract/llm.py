"""The model's part: what it is asked, what is done with its answer, and how a batch gets past a turn it chokes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING

from ..errors import BadOutputError, ProviderRefusedError
from ..models import Proposal, Turn
from .answer import PURPOSE
from .prompts import BLOCK, KNOWN_BLOCK, OURS, RETRY, USER, Instructions
from .resolve import to_proposal
from .schema import EXTRACTION_SCHEMA, parse_output
from .transcript import INVISIBLE, Transcript, build_transcript

if TYPE_CHECKING:
    from ..llm import ChatModel, Completion

_CLOSING = re.compile(rf"[<＜](?=[{INVISIBLE}]*[/／]?[{INVISIBLE}]*(?:{BLOCK}|{KNOWN_BLOCK}))")
_WEEKDAYS = "一二三四五六日"

_PROBE_TEXT = "大家好"  # no filter and no model has a reason to stumble over this


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one transcript gave. ``dropped`` has a reason (a word of code) for each item that made no proposal."""

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[str, ...] = ()
    completions: tuple[Completion, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What a batch gave. ``unprocessable`` are the numbers of turns that the model cannot deal with, each alone."""

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[str, ...] = ()
    unprocessable: tuple[int, ...] = ()
    completions: tuple[Completion, ...] = ()


def extraction_messages(
    transcript: Transcript, *, today: date, instructions: Instructions = OURS
) -> list[dict[str, str]]:
    """The two messages of a call: fixed instructions, then the transcript as data inside a block it cannot close."""
    days = sorted({turn.said_at.astimezone(transcript.timezone).date() for turn in transcript.turns.values()})
    user = USER.format(
        today=_day(today),
        calendar="".join(f"{_day(day)}\n" for day in days if day != today),
        known_block=KNOWN_BLOCK,
        known=inside_block(transcript.known_text) or "（无）",
        block=BLOCK,
        transcript=inside_block(transcript.text),
    )
    return [{"role": "system", "content": instructions.system}, {"role": "user", "content": user}]


def inside_block(words: str) -> str:
    """Strangers' ``words`` as they may stand inside a block of ours: they cannot close it."""
    return _CLOSING.sub("〈", words)


def _day(day: date) -> str:
    return f"{day.isoformat()} 星期{_WEEKDAYS[day.weekday()]}"


async def propose(
    model: ChatModel,
    transcript: Transcript,
    *,
    now: datetime,
    retry: bool = True,
    spent: list[Completion] | None = None,
    instructions: Instructions = OURS,
) -> Extraction:
    """The proposals that ``model`` makes of ``transcript``.

    One call; with ``retry`` a second one, told what was wrong, if the first answer is unusable. No call if the
    transcript is not usable. ``spent`` receives each completion as it arrives, so that its cost is known also when an
    error leaves.

    Raises BadOutputError if the last answer is unusable, and every other ProviderError as it comes.
    """
    spent = [] if spent is None else spent
    if not transcript.usable:
        return Extraction()
    first = len(spent)
    today = now.astimezone(transcript.timezone).date()
    messages = extraction_messages(transcript, today=today, instructions=instructions)
    try:
        return _made_with(instructions, await _attempt(model, transcript, messages, spent, first))
    except BadOutputError as error:
        if not retry:
            raise
        answer = spent[-1].text if len(spent) > first else ""
        messages += [
            {"role": "assistant", "content": answer[:2_000] or "（空）"},
            {"role": "user", "content": RETRY.format(problem=error.problem, schema=json.dumps(EXTRACTION_SCHEMA))},
        ]
        return _made_with(instructions, await _attempt(model, transcript, messages, spent, first))


async def _attempt(
    model: ChatModel,
    transcript: Transcript,
    messages: Sequence[Mapping[str, str]],
    spent: list[Completion],
    first: int,
) -> Extraction:
    # No max_tokens: for some models it counts their thoughts, and no one figure fits all endpoints.
    completion = await model.complete(messages, purpose=PURPOSE, schema=EXTRACTION_SCHEMA)
    spent.append(completion)
    parsed = parse_output(completion.text, turns=len(transcript.turns))
    made = [to_proposal(item, transcript) for item in parsed.items]
    return Extraction(
        proposals=tuple(it for it in made if isinstance(it, Proposal)),
        dropped=(*parsed.dropped, *(it for it in made if isinstance(it, str))),
        completions=tuple(spent[first:]),
    )


def _made_with(instructions: Instructions, extraction: Extraction) -> Extraction:
    version = instructions.version
    return replace(extraction, proposals=tuple(replace(it, prompt_version=version) for it in extraction.proposals))


@dataclass
class _Batch:
    """A batch under way."""

    model: ChatModel
    make_transcript: Callable[[Sequence[Turn]], Transcript]
    now: datetime
    spent: list[Completion]
    instructions: Instructions
    proposals: list[Proposal] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    unprocessable: list[int] = field(default_factory=list)
    model_works: bool = False


async def propose_all(
    model: ChatModel,
    turns: Sequence[Turn],
    make_transcript: Callable[[Sequence[Turn]], Transcript],
    *,
    now: datetime,
    spent: list[Completion] | None = None,
    instructions: Instructions = OURS,
) -> BatchResult:
    """The proposals of a batch, past turns that the model refuses or answers with rubbish.

    A batch that fails so is halved, and its halves again, until the offending turns are alone; those are named in the
    result. Before the first turn is blamed, a model that has not answered anything yet must answer a harmless line: if
    it cannot, the fault is not the turns', and the error leaves. At most ``2 * len(turns) + 1`` calls; with one
    offending turn, about ``2 * log2(len(turns))``.

    Raises every other ProviderError as it comes: nothing of the batch counts as processed then. ``spent`` as in
    ``propose``.
    """
    batch = _Batch(model, make_transcript, now, [] if spent is None else spent, instructions)
    first = len(batch.spent)
    ordered = sorted(turns, key=lambda turn: (turn.said_at, turn.seq, turn.n))
    await _work(batch, ordered, retry=True)
    return BatchResult(
        proposals=tuple(batch.proposals),
        dropped=tuple(batch.dropped),
        unprocessable=tuple(batch.unprocessable),
        completions=tuple(batch.spent[first:]),
    )


async def _work(batch: _Batch, turns: Sequence[Turn], *, retry: bool) -> None:
    transcript = batch.make_transcript(turns)
    if not transcript.usable:
        return
    try:
        result = await _propose(batch, transcript, retry=retry)
    except (BadOutputError, ProviderRefusedError):
        if len(transcript.turns) == 1:
            await _require_working_model(batch)
            batch.unprocessable.extend(transcript.turns)
            return
    else:
        batch.model_works = True
        batch.proposals += result.proposals
        batch.dropped += result.dropped
        return
    shown = list(transcript.turns.values())
    middle = len(shown) // 2
    await _work(batch, shown[:middle], retry=False)
    await _work(batch, shown[middle:], retry=False)


async def _propose(batch: _Batch, transcript: Transcript, *, retry: bool) -> Extraction:
    return await propose(
        batch.model,
        transcript,
        now=batch.now,
        retry=retry,
        spent=batch.spent,
        instructions=batch.instructions,
    )


async def _require_working_model(batch: _Batch) -> None:
    """Raises what the model raises on a harmless line, if it has answered nothing so far."""
    if batch.model_works:
        return
    moment = batch.now.astimezone(timezone.utc)
    turn = Turn("probe:private:0", 1, "user", _PROBE_TEXT, moment, moment, account="probe:user:0")
    transcript = build_transcript([turn], timezone=timezone.utc, bots=frozenset())
    await _propose(batch, transcript, retry=False)
    batch.model_works = True
