"""What the model was sent for an answer."""

from __future__ import annotations

from typing import Any

from nonebot_plugin_scoped_memory.engine.prompt import BLOCK_CLOSE
from tests.bot import asking
from tests.conftest import RunningBot


def prompts(bot: RunningBot) -> list[list[dict[str, Any]]]:
    """The messages of each request for an answer."""
    return [request.messages for request in asking.prompts(bot)]


def last_words(messages: list[dict[str, Any]]) -> str:
    """The current message of a prompt, without the memory above it."""
    return messages[-1]["content"].rpartition(f"{BLOCK_CLOSE}\n\n")[2]
