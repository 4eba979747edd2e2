"""What an engine may be told beyond its clients. ``config.py`` fills it from the bot's settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta, timezone, tzinfo
from typing import Literal

from .extract.prompts import OURS, Instructions

SharedWrites = Literal["trusted", "auto", "review"]


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """A session is dreamt of when it has ``min_turns`` new messages of people, or any that is a day old, and was
    ``quiet`` for so long; at most ``sessions_per_run`` in one sweep. A run never takes a scope below ``keep_at_least``
    items by itself; with ``preview`` it changes nothing that was there before unless it is approved."""

    min_turns: int = 4
    quiet: timedelta = timedelta(minutes=10)
    sessions_per_run: int = 20
    keep_at_least: int = 10
    preview: bool = False


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """``timezone``: the zone in which people of the chats read a clock. ``nicknames``: what the bot is called.
    Token figures are per prompt, except ``daily_tokens`` and ``chat_daily_tokens``: what all chats together and each of
    them may spend in a day before extraction falls back to rules. ``instructions`` is what the extracting model is
    told."""

    timezone: tzinfo = timezone.utc
    shared_writes: SharedWrites = "trusted"
    trusted_chats: frozenset[str] = frozenset()
    extract_every_turns: int = 8
    recall_limit: int = 10
    max_items_per_scope: int = 7
    recall_tokens: int = 1_000
    history_tokens: int = 2_000
    daily_tokens: int = 300_000
    chat_daily_tokens: int = 100_000
    nicknames: frozenset[str] = frozenset()
    instructions: Instructions = OURS
    dream: DreamSettings = field(default_factory=DreamSettings)
