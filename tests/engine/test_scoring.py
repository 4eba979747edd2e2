"""Cosines of a question with a scope's matrix, whatever the number of blocks it is worked through in."""

from __future__ import annotations

import numpy as np
import pytest

from nonebot_plugin_scoped_memory.engine import scoring
from nonebot_plugin_scoped_memory.engine.store.base import ScopeVectors


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 40])
def test_cosines_are_those_of_the_whole_matrix(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(scoring, "_BLOCK_ROWS", 8)
    draw = np.random.default_rng(1)
    data = draw.integers(-127, 128, (rows, 16), dtype=np.int8)
    scales = draw.random(rows, dtype=np.float32)
    question = draw.standard_normal(16).astype(np.float32)
    found = scoring.cosines(ScopeVectors(tuple(map(str, range(rows))), data, scales), question)
    assert (found.dtype, found.shape) == (np.float32, (rows,))
    np.testing.assert_allclose(found, (data.astype(np.float32) @ question) * scales, rtol=1e-4, atol=1e-4)
