"""Who takes part in the tests' chats, and where."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from tests.fakes.openai_replies import ChatRequest

MING, HONG, GANG = 10001, 10002, 10003
GROUP, OTHER_GROUP = 20001, 20002
BOT, OTHER_BOT = 30001, 30002
PRIVATE, GROUP_KEY = f"qq:private:{MING}", f"qq:group:{GROUP}"

everything = pytest.mark.settings(record__groups="all")
"""Groups are recorded whether or not the bot is spoken to; the chat answers only those who address it."""


def account(number: int) -> str:
    return f"qq:user:{number}"


class Countdown(asyncio.Event):
    """Set after so many ticks."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._left = count

    def tick(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.set()


def transcript_lines(request: ChatRequest) -> list[tuple[str, str, str]]:
    """(turn, who, words) of each line of the transcript in a request for extraction, such as ``("t3", "u1", "…")``."""
    lines = re.findall(r"^\[(t\d+) \S+ \S+ ((?:u\d+|bot|匿名))[^\]\n]*\] (.*)$", request.text, re.MULTILINE)
    return [(turn, who, words) for turn, who, words in lines]


def found(content: str, evidence: str, subject: str | None, **fields: Any) -> dict[str, Any]:
    """An item as a model writes it."""
    return {
        "kind": "fact",
        "content": content,
        "subject": subject,
        "evidence": [evidence],
        "confidence": 0.9,
        "importance": 0.5,
        "key": None,
        "audience": None,
        "valid_until": None,
        **fields,
    }


def answer(*items: dict[str, Any]) -> str:
    return json.dumps({"items": items}, ensure_ascii=False)


def finds(pattern: str, **fields: Any) -> Any:
    """A model that takes each line that holds ``pattern`` for something its speaker said of themselves."""

    def extraction(request: ChatRequest) -> str:
        lines = [line for line in transcript_lines(request) if re.search(pattern, line[2])]
        return answer(*(found(f"{who} {words}", turn, who, **fields) for turn, who, words in lines))

    return extraction
