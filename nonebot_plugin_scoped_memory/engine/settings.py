"""What an engine may be told beyond its clients. ``config.py`` fills it from the bot's settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timezone, tzinfo
from typing import Literal

from .extract.prompts import OURS, Instructions

SharedWrites = Literal["trusted", "auto", "review"]


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """``timezone``: the zone in which people of the chats read a clock. ``nicknames``: what the bot is called.
    Token figures are per prompt, except ``daily_tokens``: what all chats together may spend in a day before extraction
    falls back to rules. ``instructions`` is what the extracting model is told."""

    timezone: tzinfo = timezone.utc
    shared_writes: SharedWrites = "trusted"
    trusted_chats: frozenset[str] = frozenset()
    extract_every_turns: int = 8
    recall_limit: int = 10
    max_items_per_scope: int = 7
    recall_tokens: int = 1_000
    history_tokens: int = 2_000
    daily_tokens: int = 300_000
    nicknames: frozenset[str] = frozenset()
    instructions: Instructions = OURS
