"""A process that dies at a chosen commit, and a dream that has every kind of commit in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal

from nonebot_plugin_scoped_memory.engine.models import Item
from nonebot_plugin_scoped_memory.engine.store.sqlite.connection import Database

from .dreaming import DreamModel, archive, changing, labels, learnt, line_with, talk
from .helpers import GROUP, Memory
from .small_talk import echo

M = "小明（10001）"
STEPS = (
    *("recover", "start", "extract", "extract again", "merge", "review", "review again", "expire"),
    *("summary", "summary again", "end"),
)
"""The commits of a process's first dream, of what ``prepared`` leaves, in order."""

Moment = Literal["before", "after"]


@contextmanager
def dying(die: Callable[[], object], at: int, when: Moment) -> Iterator[list[str]]:
    """``die`` is called before or after the ``at``-th transaction from here (the first is 0) commits. Yields a list
    that grows with each one that has committed."""
    transaction = Database.transaction
    committed: list[str] = []

    @asynccontextmanager
    async def deadly(self: Database) -> AsyncIterator[Any]:
        async with transaction(self) as tx:
            yield tx
            if when == "before" and len(committed) == at:
                die()
        committed.append("committed")
        if when == "after" and len(committed) == at + 1:
            die()

    Database.transaction = deadly  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield committed
    finally:
        Database.transaction = transaction


def eventful() -> DreamModel:
    """Repeats what people say, and archives the item about Haskell where it is done with."""

    def review(prompt: str) -> str:
        shown = labels(prompt)
        label = next((label for label, words in shown.items() if "Haskell" in words), None)
        return changing(archive(label, line_with(prompt, "haskell"))) if label else changing()

    return DreamModel(extract=echo, review=review)


TALK = (
    "haskell 再也不碰了" + "嗯" * 2_000,
    *(f"话题{n}" for n in range(2, 59)),
    *("邮票" + "嗯" * 3_500, "话题60" + "嗯" * 2_000),
)
"""60 messages: two batches, and two chunks of words."""


async def known_before(memo: Memory, session: str = GROUP) -> None:
    """Items for a dream to merge, to archive and to expire, and enough others that it may."""
    await learnt(memo, *(f"{M}收藏了第{n}号邮票" for n in range(11, 61)), session=session)
    await learnt(memo, f"{M}在学 Haskell", f"{M}喜欢红茶", f"{M}很喜欢红茶", session=session)
    await learnt(memo, f"{M}要交报告", kind="task", valid_until=memo.clock(), session=session)


async def prepared(memo: Memory) -> None:
    """A dream of this takes all of the steps."""
    await known_before(memo)
    await talk(memo, *TALK)


def what_is_known(items: Sequence[Item]) -> Counter[tuple[str, str]]:
    """How many items say what, by status."""
    return Counter((item.content, item.status) for item in items)
