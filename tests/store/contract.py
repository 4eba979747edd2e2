"""What every store must do, by behaviour. A store's test module subclasses ``StoreContract`` with its own factory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from .contract_dreams import DreamContract
from .contract_gate import GateContract
from .contract_items import ItemContract
from .contract_maintenance import MaintenanceContract
from .contract_records import RecordContract
from .contract_search import SearchContract
from .contract_turns import TurnContract
from .contract_vectors import VectorContract
from .contract_writes import WriteContract
from .making import HandClock, OpenedStore, OpenStore


class StoreContract(
    GateContract,
    TurnContract,
    ItemContract,
    SearchContract,
    VectorContract,
    RecordContract,
    DreamContract,
    WriteContract,
    MaintenanceContract,
):
    @pytest.fixture
    def open_store(self) -> OpenStore:
        """To be replaced: opens new stores, and closes those that a test leaves open."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> HandClock:
        return HandClock()

    @pytest.fixture
    async def store(self, open_store: OpenStore, clock: HandClock) -> AsyncIterator[OpenedStore]:
        store = await open_store(clock=clock)
        yield store
        await store.close()
