"""A model that knows what it is asked for, and short ways to dream."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nonebot_plugin_scoped_memory.engine.dream_records import DreamOperation, DreamRun
from nonebot_plugin_scoped_memory.engine.dreaming.dream import DreamReport
from nonebot_plugin_scoped_memory.engine.dreaming.prompts import REVIEW_SYSTEM, SUMMARY_SYSTEM
from nonebot_plugin_scoped_memory.engine.llm import Completion

from .helpers import GROUP, HONG, MING, Memory, Reply, said

NO_CHANGES = json.dumps({"changes": []})


class DreamModel:
    """Answers each kind of call by its own function of the prompt; by default nothing is found or changed."""

    name = "dreaming"

    def __init__(
        self,
        *,
        extract: Callable[[str], Reply] = lambda _: said(),
        review: Callable[[str], Reply] = lambda _: NO_CHANGES,
        summary: Callable[[str], Reply] = lambda _: "聊了一些话题",
    ) -> None:
        self.answers = {"extract": extract, "review": review, "summary": summary}
        self.calls: list[tuple[str, str]] = []

    def prompts(self, kind: str) -> list[str]:
        return [prompt for one, prompt in self.calls if one == kind]

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        purpose: str,  # noqa: ARG002
        schema: Mapping[str, object] | None = None,  # noqa: ARG002
        max_tokens: int | None = None,  # noqa: ARG002
    ) -> Completion:
        kind = {REVIEW_SYSTEM: "review", SUMMARY_SYSTEM: "summary"}.get(messages[0]["content"], "extract")
        self.calls.append((kind, messages[1]["content"]))
        result = self.answers[kind](messages[1]["content"])
        if isinstance(result, Exception):
            raise result
        text = result if isinstance(result, str) else await result
        return Completion(text, 100, 10, estimated=False)

    async def close(self) -> None:
        """Nothing is open."""


def changing(*changes: Mapping[str, Any]) -> str:
    """A review's answer."""
    return json.dumps({"changes": changes}, ensure_ascii=False)


def archive(item: str, *evidence: str, **fields: Any) -> dict[str, Any]:
    return {"action": "archive", "item": item, "reason": "不再成立", "evidence": evidence, "content": None, **fields}


def update(item: str, content: str, *evidence: str, **fields: Any) -> dict[str, Any]:
    return {**archive(item, *evidence), "action": "update", "content": content, **fields}


def labels(prompt: str) -> dict[str, str]:
    """What the items in a review's prompt say, by label."""
    return dict(re.findall(r"^\[(m\d+) [^\]]*\] (.*)$", prompt, re.MULTILINE))


def label_of(prompt: str, words: str) -> str:
    return next(label for label, content in labels(prompt).items() if words in content)


def line_with(prompt: str, words: str) -> str:
    """The number of the transcript's line that says this."""
    return next(m[1] for m in re.finditer(r"^\[(t\d+) [^\]]*\] (.*)$", prompt, re.MULTILINE) if words in m[2])


async def learnt(memo: Memory, *contents: str, subject: str = MING, session: str = GROUP, **fields: Any) -> None:
    """Items as the model would have learnt them, an hour ago."""
    for content in contents:
        await memo.add(content, session, subject=subject, origin="llm", source_session=session, **fields)
        memo.clock.move(seconds=1)
    memo.clock.move(hours=1)


async def talk(memo: Memory, *lines: str, session: str = GROUP) -> None:
    """Messages in turn by two people."""
    for n, line in enumerate(lines):
        await memo.speak(line, HONG if n % 2 else MING, session)


async def dream(memo: Memory, session: str = GROUP) -> DreamReport:
    return await memo.engine.dream_now(session)


async def dreamt(memo: Memory, session: str = GROUP) -> DreamRun:
    """The run of a dream that ended well."""
    report = await dream(memo, session)
    assert report.waiting == ""
    assert report.run is not None
    assert report.run.status == "done"
    return report.run


def operations(run: DreamRun, *states: str) -> list[DreamOperation]:
    return [one for one in run.operations if not states or one.state in states]


def steps(run: DreamRun) -> list[tuple[str, str, str]]:
    """(action, state, reason) of each operation."""
    return [(one.action, one.state, one.reason) for one in run.operations]
