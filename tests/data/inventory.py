"""All text blocks, gathered by the set that may use them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import ModuleType

from . import (
    chatter_dev,
    chatter_groups,
    chatter_more,
    chatter_private,
    held_out_chatter,
    held_out_scenes,
    held_out_statements,
    scenes_changes,
    scenes_noise,
    scenes_traps,
    statements_plans,
    statements_self,
    statements_tastes,
)
from .grammar import Scene, read_blocks, read_dialogues, words_of

_SHARED = (statements_self, statements_tastes, statements_plans, scenes_changes, scenes_traps, scenes_noise)
_HELD_OUT = (held_out_statements, held_out_scenes)
_THEMES = {"any": "ANY", "code": "CODE", "game": "GAME", "study": "STUDY", "life": "LIFE", "private": "PRIVATE"}


@functools.lru_cache
def scenes(name: str) -> tuple[Scene, ...]:
    """The scenes that set ``name`` (dev or report) may put on."""
    found = [scene for module in _SHARED for scene in read_blocks(module.BOTH, "both")]
    if name == "dev":
        own = [(module.DEV, "dev") for module in _SHARED]
    else:
        own = [(module.REPORT, "report") for module in _HELD_OUT]
    found += [scene for text, pool in own for scene in read_blocks(text, pool)]
    return tuple(found)


def _chatter(name: str) -> tuple[ModuleType, ...]:
    return (chatter_groups, chatter_more, chatter_private, chatter_dev if name == "dev" else held_out_chatter)


@functools.lru_cache
def dialogues(theme: str, name: str) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Plain talk of a theme (any, code, game, study, life, private)."""
    texts = [getattr(module, _THEMES[theme], "") for module in _chatter(name)]
    return tuple(dialogue for text in texts if text for dialogue in read_dialogues(text))


@functools.lru_cache
def one_liners(name: str) -> tuple[str, ...]:
    return tuple(one for module in _chatter(name) for one in words_of(getattr(module, "ONE_LINERS", "")))


def pieces(name: str) -> Mapping[str, Sequence[str]]:
    """What goes around statements: reactions, the bot's answers, prefixes and suffixes."""
    own = held_out_chatter if name == "report" else chatter_private
    return {
        "reactions": words_of(own.REACTIONS),
        "bot_answers": words_of(own.BOT_ANSWERS),
        "prefixes": own.PREFIXES,
        "suffixes": own.SUFFIXES,
        "voice_prefixes": own.VOICE_PREFIXES,
    }
