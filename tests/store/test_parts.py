"""Parts of the SQLite store that are worth a test of their own."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.store.base import ScopeVectors
from nonebot_plugin_scoped_memory.engine.store.sqlite.connection import finish
from nonebot_plugin_scoped_memory.engine.store.sqlite.rows import from_ms, to_ms
from nonebot_plugin_scoped_memory.engine.store.sqlite.vectorcache import VectorCache
from nonebot_plugin_scoped_memory.engine.store.terms import TOKEN_LENGTH, composites, owner_name

from .making import CHAT, CHAT_KEY

names = st.text(st.sampled_from("ab:|1"), min_size=1, max_size=4)


# --- tokens


@settings(deadline=None)
@given(st.text(), st.text())
def test_tokens_are_plain_and_of_one_length(owner: str, term: str) -> None:
    [token] = composites(owner, [term])
    assert len(token) == TOKEN_LENGTH
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyz234567")
    assert composites(owner, [term, "x", term]) == [token, *composites(owner, "x"), token]


@settings(deadline=None)
@given(st.lists(st.tuples(names, names, names), min_size=2, max_size=6, unique=True))
def test_no_two_owners_share_a_token(triples: list[tuple[str, str, str]]) -> None:
    tokens = {
        token for domain, id, term in triples for token in composites(owner_name(domain, ScopeRef("task", id)), [term])
    }
    assert len(tokens) == len(triples)


def test_owners_differ_in_domain_type_and_id() -> None:
    names = {
        owner_name(domain, scope)
        for domain in ("default", "bot2")
        for scope in (CHAT, GLOBAL_SCOPE, session_scope(CHAT_KEY), ScopeRef("task", CHAT_KEY))
    }
    assert len(names) == 8


def test_tokens_stay_the_same_from_version_to_version() -> None:
    """They are in people's files: a change needs a new analyser version."""
    assert composites(owner_name("default", GLOBAL_SCOPE), ["苹果"]) == ["scrfzwjrv4moa"]


# --- times


@settings(deadline=None)
@given(st.datetimes(timezones=st.just(timezone.utc)))
def test_times_keep_their_milliseconds(at: datetime) -> None:
    assert timedelta(0) <= at - from_ms(to_ms(at)) < timedelta(milliseconds=1)


def test_a_time_of_another_zone_is_the_same_moment() -> None:
    at = datetime(2026, 3, 1, 20, tzinfo=timezone(timedelta(hours=8)))
    assert from_ms(to_ms(at)) == at
    assert from_ms(to_ms(at)).utcoffset() == timedelta(0)


# --- the vector cache


def vectors(rows: int) -> ScopeVectors:
    """About 100 bytes a row."""
    return ScopeVectors(("x",) * rows, np.zeros((rows, 32), np.int8), np.zeros(rows, np.float32))


def test_the_least_recently_used_goes_first() -> None:
    cache = VectorCache(limit=2_500)
    one, two, three = vectors(10), vectors(10), vectors(10)
    cache.put("m", 1, 1, one)
    cache.put("m", 2, 1, two)
    assert cache.get("m", 1, 1) is one
    cache.put("m", 3, 1, three)
    assert (cache.get("m", 1, 1), cache.get("m", 2, 1), cache.get("m", 3, 1)) == (one, None, three)
    cache.put("m", 4, 1, vectors(100))  # larger than the whole cache: nothing is thrown out for it
    assert (cache.get("m", 1, 1), cache.get("m", 4, 1)) == (one, None)


def test_an_entry_is_good_for_its_version_only() -> None:
    cache = VectorCache(limit=10_000)
    old, new = vectors(1), vectors(2)
    cache.put("m", 1, 2, new)
    cache.put("m", 1, 1, old)  # a slow reader comes late
    assert cache.get("m", 1, 2) is new
    assert cache.get("m", 1, 1) is cache.get("m", 1, 3) is cache.get("other", 1, 2) is None
    for version in range(3, 300):
        cache.put("m", 1, version, vectors(10))  # replaced, not added up
    assert cache.get("m", 1, 299) is not None


# --- work that must not be left half done


async def test_finish_outlasts_every_cancellation() -> None:
    gate = asyncio.Event()
    done: list[str] = []

    async def work() -> None:
        await gate.wait()
        done.append("work")

    async def wait() -> None:
        try:
            await finish(work())
        finally:
            done.append("waiter")

    waiter = asyncio.create_task(wait())
    for _ in range(3):
        await asyncio.sleep(0)
        waiter.cancel()
    await asyncio.sleep(0)
    assert done == []
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert done == ["work", "waiter"]
