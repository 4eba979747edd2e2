"""The gate: reads within one domain and given scopes, and the same inside a write transaction."""

from __future__ import annotations

from .candidates import CandidateReads, CandidateWrites
from .dreams import DreamReads, DreamWrites
from .items import ItemReads
from .itemwrites import ItemWrites
from .journal import JournalReads, JournalWrites
from .turns import TurnReads
from .turnwrites import TurnWrites


class SqliteView(TurnReads, ItemReads, CandidateReads, JournalReads, DreamReads):
    """``base.View`` on a reader's connection."""


class SqliteWrite(TurnWrites, ItemWrites, CandidateWrites, JournalWrites, DreamWrites, SqliteView):
    """``base.Write`` on the writer's connection; its reads see its own writes."""
