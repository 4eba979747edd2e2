"""What the rules make of a message."""

from __future__ import annotations

from typing import Any

from nonebot_plugin_scoped_memory.engine.extract.rules import match_rules
from nonebot_plugin_scoped_memory.engine.models import Proposal

from .making import MING, turn


def rules(text: str, account: str = MING, **fields: Any) -> list[Proposal]:
    return match_rules(turn(7, text, account, **fields))


def contents(text: str, **fields: Any) -> list[str]:
    return [one.content for one in rules(text, **fields)]
