"""The one gate: a view returns what lies in its domain and scopes, by every read method, and nothing else."""

from __future__ import annotations

import dataclasses
import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.errors import InvalidScopeError, NotFoundError
from nonebot_plugin_scoped_memory.engine.models import Item, UsageRow
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, REVIEW_SCOPE, ScopeRef, session_scope
from nonebot_plugin_scoped_memory.engine.store.base import Store

from .making import (
    CHAT,
    CHAT_KEY,
    DOMAIN,
    EVERYWHERE,
    MING,
    NOON,
    OTHER,
    OTHER_KEY,
    OTHER_SESSION,
    SESSION,
    a_candidate,
    a_turn,
    add,
    an_event,
    an_item,
    evidence,
    ids,
    say,
    words,
)

POOL = (
    GLOBAL_SCOPE,
    CHAT,
    OTHER,
    ScopeRef("chat", "qq:private:20001"),
    ScopeRef("project", "p"),
    ScopeRef("expert", "p"),
    ScopeRef("task", "p"),
    session_scope(CHAT_KEY),
    REVIEW_SCOPE,
)
"""Among them scopes that differ in the type alone, or in a part of the id."""
VOCABULARY = ("red", "green", "apple", "pear")

placed = st.tuples(st.integers(0, 1), st.sampled_from(POOL), st.lists(st.sampled_from(VOCABULARY), max_size=5))
some_scopes = st.lists(st.sampled_from(POOL), min_size=1, max_size=4, unique=True)


@dataclass(frozen=True, slots=True)
class Placed:
    """An item as it was stored, its domain, and its candidate."""

    domain: str
    item: Item
    candidate_id: str


async def place(store: Store, spots: Sequence[tuple[int, ScopeRef, list[str]]]) -> tuple[str, list[Placed]]:
    """Items in two new domains, each with a vector, evidence, an event, a candidate, usage and a setting."""
    domains = [uuid.uuid4().hex for _ in range(2)]
    made: list[Placed] = []
    for number, (which, scope, terms) in enumerate(spots):
        domain = domains[which]
        await say(store, f"turn {number}", domain=domain)
        async with store.write(domain, [scope]) as write:
            fields = {"identity": str(number), "key": f"k{number}", "tier": "dao_tian"}
            item = await write.add_item(an_item(" ".join(terms), scope, **fields), terms)
            await write.add_evidence(item.id, [evidence(1)])
            await write.add_event(an_event(item.id, scope))
            candidate = await write.add_candidate(a_candidate(str(number), scope))
            await write.add_usage(UsageRow("day", scope, f"p{number}", 1, 1, 1, False))
            await write.set_account_setting(scope, MING, f"s{number}", "x", at=NOON)
        await store.put_vectors(domain, "m", {item.id: np.array([1.0, 0.0], dtype=np.float32)})
        made.append(Placed(domain, item, candidate.id))
    return domains[0], made


class GateContract:
    # One store serves all examples: each makes domains of its own.
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(
        spots=st.lists(placed, max_size=6),
        scopes=some_scopes,
        query=st.lists(st.sampled_from(VOCABULARY), unique=True),
    )
    async def test_a_view_returns_exactly_its_own(
        self, store: Store, spots: list[tuple[int, ScopeRef, list[str]]], scopes: list[ScopeRef], query: list[str]
    ) -> None:
        domain, everything = await place(store, spots)
        mine = [it for it in everything if it.domain == domain and it.item.scope in scopes]
        own = {it.item.id for it in mine}
        everyone = [it.item.id for it in everything]
        view = store.view(domain, scopes)

        assert set(ids(await view.items(everyone))) == own
        assert set(ids(await view.list_items())) == set(ids(await view.list_items(status=None))) == own
        assert await view.count_items() == len(own)
        assert set(ids(await view.pinned_items())) == own
        slots = [("fact", it.item.key or "", "") for it in everything]
        assert set(ids(await view.slot_items(slots))) == own
        assert set(await view.evidence(everyone)) == own
        assert set(ids(await view.items_on_turn(CHAT_KEY, 1))) == own
        # All of it came from one chat. Of shared scopes, what waits is seen there alone, and what was done by operators
        # alone.
        reviews = REVIEW_SCOPE in scopes
        shared = {"global", "project", "expert"}
        events = {it.item.id for it in mine if reviews or it.item.scope.type not in shared}
        assert {id for id in everyone if await view.events(id)} == events
        there = reviews or session_scope(CHAT_KEY) in scopes
        candidates = {it.candidate_id for it in mine if there or it.item.scope.type not in shared}
        assert {c.id for c in await view.list_candidates()} == candidates
        assert {it.candidate_id for it in everything if await view.candidate(it.candidate_id)} == candidates
        assert len(await view.usage("day")) == len(own)
        assert sum(len(values) for values in (await view.account_settings(MING)).values()) == len(own)
        vectors = await view.vectors("m")
        assert {id for of_scope in vectors.values() for id in of_scope.item_ids} == own
        assert set(vectors) == {it.item.scope for it in mine}

        found = await view.item_candidates(query)
        asked = set(query)
        expected = {it.item.id: it.item for it in mine if asked & set(words(it.item.content))}
        assert {document.ref for document in found.documents} == set(expected)
        for document in found.documents:
            item = expected[str(document.ref)]
            assert document.owner == item.scope
            assert dict(document.counts) == {t: words(item.content).count(t) for t in asked & set(words(item.content))}
        for scope in scopes:
            contents = [words(it.item.content) for it in mine if it.item.scope == scope]
            assert (found.sizes[scope].documents, found.sizes[scope].terms) == (len(contents), sum(map(len, contents)))

    async def test_empty_never_means_everything(self, store: Store) -> None:
        nothing: list[ScopeRef] = []
        with pytest.raises(InvalidScopeError):
            store.view(DOMAIN, nothing)
        with pytest.raises(InvalidScopeError):
            store.write(DOMAIN, nothing)
        with pytest.raises(InvalidScopeError):
            store.view("", [CHAT])
        with pytest.raises(InvalidScopeError):
            store.write("", [CHAT])
        with pytest.raises(InvalidScopeError):
            await store.record_turn("", CHAT_KEY, a_turn("x"), [])
        with pytest.raises(InvalidScopeError):
            await store.record_turn(DOMAIN, "", a_turn("x"), [])
        not_a_scope: Any = "chat:qq:group:20001"
        with pytest.raises(InvalidScopeError):
            store.view(DOMAIN, [not_a_scope])

    async def test_a_view_says_what_it_is(self, store: Store) -> None:
        view = store.view(DOMAIN, [OTHER, CHAT, OTHER])
        assert (view.domain_id, view.scopes) == (DOMAIN, (OTHER, CHAT))

    async def test_scopes_that_do_not_exist_yield_nothing(self, store: Store) -> None:
        view = store.view(DOMAIN, EVERYWHERE)
        assert await view.session(CHAT_KEY) is None
        assert await view.recent_turns(CHAT_KEY, limit=5) == await view.turns(CHAT_KEY, [1]) == []
        assert await view.list_items() == await view.pinned_items() == await view.items(["x"]) == []
        assert await view.vectors("m") == {}
        assert (await view.turn_candidates(CHAT_KEY, ["x"])).documents == ()
        assert await view.candidate("x") is None
        assert await view.events("x") == await view.usage("day") == []

    async def test_turns_are_read_in_the_scope_of_their_session(self, store: Store) -> None:
        await say(store, a_turn("red", message_ids=(("A", "1"),)))
        await say(store, a_turn("red", message_ids=(("A", "1"),)), domain="bot2", session_key=OTHER_KEY)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.save_commit(CHAT_KEY, "c", "result", at=NOON)
        for domain, scopes in ((DOMAIN, [CHAT, GLOBAL_SCOPE, OTHER_SESSION]), ("bot2", [CHAT, SESSION])):
            view = store.view(domain, scopes)
            assert await view.session(CHAT_KEY) is None
            assert await view.recent_turns(CHAT_KEY, limit=9) == []
            assert await view.turns_after(CHAT_KEY, 0, limit=9) == []
            assert await view.turns(CHAT_KEY, [1]) == []
            assert await view.turn_number(CHAT_KEY, "A", "1") is None
            assert (await view.turn_candidates(CHAT_KEY, ["red"])).documents == ()
            assert await view.commit_result(CHAT_KEY, "c") is None

    async def test_a_write_names_only_its_own_scopes(self, store: Store) -> None:
        foreign = [
            lambda w: w.add_item(an_item("x", OTHER), []),
            lambda w: w.add_candidate(a_candidate("x", OTHER)),
            lambda w: w.add_event(an_event("x", OTHER)),
            lambda w: w.set_chat_setting(OTHER, "a", "b", by="", at=NOON),
            lambda w: w.set_account_setting(OTHER, MING, "a", "b", at=NOON),
            lambda w: w.add_usage(UsageRow("day", OTHER, "p", 1, 1, 1, False)),
            lambda w: w.add_turns(OTHER_KEY, [(a_turn("x"), [])]),
            lambda w: w.set_turn_state(OTHER_KEY, [1], a_turn("x").state),
            lambda w: w.add_to_turn(OTHER_KEY, 1, (), {}),
            lambda w: w.mark_recalled(OTHER_KEY, 1),
            lambda w: w.mark_suppressed(OTHER_KEY, [1]),
            lambda w: w.set_watermark(OTHER_KEY, 1),
            lambda w: w.set_failure(OTHER_KEY, 1, NOON),
            lambda w: w.start_history(OTHER_KEY),
            lambda w: w.set_summary(OTHER_KEY, "x"),
            lambda w: w.save_commit(OTHER_KEY, "c", "x", at=NOON),
        ]
        await say(store, "theirs", session_key=OTHER_KEY)
        async with store.write(DOMAIN, [CHAT, SESSION]) as write:
            for call in foreign:
                with pytest.raises(InvalidScopeError):
                    await call(write)
        view = store.view(DOMAIN, EVERYWHERE)
        assert [turn.text for turn in await view.turns_after(OTHER_KEY, 0, limit=9)] == ["theirs"]
        assert await view.list_items(status=None) == []

    @pytest.mark.parametrize(("domain", "scope"), [(DOMAIN, OTHER), ("bot2", CHAT)])
    async def test_a_foreign_id_is_not_found(self, store: Store, domain: str, scope: ScopeRef) -> None:
        await say(store, "x")
        [item] = await add(store, an_item("x"))
        async with store.write(DOMAIN, [CHAT]) as write:
            candidate = await write.add_candidate(a_candidate("x", item_id=item.id))
        async with store.write(domain, [scope]) as write:
            for id, candidate_id in ((item.id, candidate.id), ("nope", "nope")):
                with pytest.raises(NotFoundError):
                    await write.save_item(dataclasses.replace(item, id=id, scope=scope), ["x"])
                with pytest.raises(NotFoundError):
                    await write.add_evidence(id, [evidence(1)])
                with pytest.raises(NotFoundError):
                    await write.decide_candidate(candidate_id, "applied", reason="", by="", at=NOON)
            assert await write.candidates_of_item(item.id) == []
            assert await write.same_candidates(CHAT, "decision", "", "=x") == []
        view = store.view(DOMAIN, [CHAT])
        assert (await view.items([item.id]), await view.candidate(candidate.id)) == ([item], candidate)

    async def test_owners_that_look_alike_are_apart(self, store: Store) -> None:
        """Names that would be equal if domain, type and id were simply joined."""
        spots = [
            ("a", ScopeRef("project", "b:c")),
            ("a:project", ScopeRef("project", "c")),
            ("a", ScopeRef("task", "b:c")),
        ]
        made = {spot: (await add(store, an_item("red", spot[1]), domain=spot[0]))[0].id for spot in spots}
        for domain, scope in itertools.product({spot[0] for spot in spots}, {spot[1] for spot in spots}):
            found = await store.view(domain, [scope]).item_candidates(["red"])
            expected = made.get((domain, scope))
            assert [document.ref for document in found.documents] == ([expected] if expected else [])
