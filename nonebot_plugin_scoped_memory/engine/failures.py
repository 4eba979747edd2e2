"""How a failure is told in a log: where it happened and what kind it was, but not its message.

Exceptions of other people's code may hold what somebody wrote.
"""

from __future__ import annotations

import traceback


def told(error: BaseException) -> str:
    """The kinds of ``error`` and of what caused it, each with its stack."""
    parts: list[str] = []
    one: BaseException | None = error
    while one is not None and len(parts) < 5:
        frames = traceback.extract_tb(one.__traceback__)
        stack = "".join(f"\n  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
        parts.append(f"{type(one).__name__}{stack}")
        one = one.__cause__
    return "\n← ".join(parts)
