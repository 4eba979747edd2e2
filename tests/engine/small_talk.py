"""Talk that no rule learns from, and a model that repeats what it was shown of it."""

from __future__ import annotations

from .helpers import GROUP, HONG, MING, Memory, found, said


def echo(prompt: str) -> str:
    """An item for each line of a person, saying what it says."""
    lines = [line for line in prompt.splitlines() if line.startswith("[t")]
    heads = [line.split("] ", 1) for line in lines]
    return said(
        *(
            found(f"{head.split()[3]} 提到{text}", evidence=head.split()[0][1:], subject=head.split()[3])
            for head, text in heads
            if head.split()[3] != "bot"
        )
    )


async def chatter(memo: Memory, count: int, start: int = 1, session: str = GROUP) -> None:
    """Messages that no rule learns from."""
    for n in range(start, start + count):
        await memo.speak(f"话题{n}", MING if n % 2 else HONG, session)


def shown(prompt: str) -> list[str]:
    """What the lines of a transcript say."""
    return [line.split("] ", 1)[1] for line in prompt.splitlines() if line.startswith("[t")]
