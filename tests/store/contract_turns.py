"""Sessions and turns: numbering, order, marks, and messages that several bots bring."""

from __future__ import annotations

import asyncio
import dataclasses
from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.errors import NotFoundError
from nonebot_plugin_scoped_memory.engine.models import NewTurn, Quote, Turn, TurnState
from nonebot_plugin_scoped_memory.engine.scope import session_scope
from nonebot_plugin_scoped_memory.engine.store.base import Store

from .making import (
    CHAT_KEY,
    DOMAIN,
    HONG,
    NOON,
    OTHER_KEY,
    SESSION,
    HandClock,
    a_turn,
    found_turns,
    say,
    words,
)


def heard(text: str, by: str, message: str, **fields: object) -> NewTurn:
    """A message that bot connection ``by`` brought."""
    return a_turn(text, message_ids=((by, message),), **fields)


class TurnContract:
    # --- numbering and reading back

    async def test_turns_are_numbered_per_session(self, store: Store) -> None:
        first = await say(store, "a", "b")
        other = await say(store, "c", session_key=OTHER_KEY)
        assert [turn.n for turn in first] == [1, 2]
        assert [turn.n for turn in other] == [1]

    async def test_a_turn_is_read_as_it_was_returned(self, store: Store, clock: HandClock) -> None:
        clock.advance(microseconds=1999)
        [turn] = await say(
            store,
            a_turn(
                "好的 ok\n第二行",
                said_at=NOON + timedelta(microseconds=1234567),
                quotes=(Quote(HONG, "小红", "原话", "reply", "m0"), Quote("", "", "转发", "forward")),
                mentions=((HONG, "小红"),),
                seq=7,
                by_operator=True,
                state=TurnState.OPEN,
                message_ids=(("1", "m1"),),
            ),
        )
        assert turn.said_at == NOON + timedelta(milliseconds=1234)
        assert turn.recorded_at == NOON + timedelta(milliseconds=1)
        view = store.view(DOMAIN, [SESSION])
        assert await view.turns(CHAT_KEY, [1]) == [turn]
        assert await view.turns_after(CHAT_KEY, 0, limit=10) == [turn]

    async def test_many_callers_at_once_keep_their_order(self, store: Store) -> None:
        keys = [CHAT_KEY, OTHER_KEY, "qq:private:10001"]
        calls = [(keys[i % 3], f"text {i}") for i in range(150)]
        turns = await asyncio.gather(*(say(store, text, session_key=key) for key, text in calls))
        for key in keys:
            mine = [turn for (turn,) in turns if turn.session_key == key]
            assert [turn.n for turn in mine] == list(range(1, 51))
            view = store.view(DOMAIN, [session_scope(key)])
            assert await view.turns_after(key, 0, limit=100) == mine

    async def test_turns_by_number(self, store: Store) -> None:
        await say(store, "a", "b", "c")
        view = store.view(DOMAIN, [SESSION])
        assert [turn.text for turn in await view.turns(CHAT_KEY, [3, 1, 3, 99, 0, -1, 2**70])] == ["a", "c"]
        assert await view.turns(CHAT_KEY, []) == []
        assert [turn.n for turn in await view.turns_after(CHAT_KEY, 1, limit=1)] == [2]

    async def test_add_turns_takes_many(self, store: Store) -> None:
        async with store.write(DOMAIN, [SESSION]) as write:
            turns = await write.add_turns(CHAT_KEY, [(a_turn(f"t {i}"), [f"t{i}"]) for i in range(450)])
            assert await write.add_turns(CHAT_KEY, []) == []
        assert [turn.n for turn in turns] == list(range(1, 451))
        assert await found_turns(store, "t449") == [450]
        session = await store.view(DOMAIN, [SESSION]).session(CHAT_KEY)
        assert session is not None
        assert session.last_turn == 450

    async def test_one_bad_turn_fails_alone(self, store: Store) -> None:
        bad = a_turn("half a character \ud800")
        results = await asyncio.gather(
            say(store, "before"), say(store, bad), say(store, "after"), return_exceptions=True
        )
        assert isinstance(results[1], UnicodeEncodeError)
        view = store.view(DOMAIN, [SESSION])
        assert [turn.text for turn in await view.turns_after(CHAT_KEY, 0, limit=9)] == ["before", "after"]

    async def test_a_turn_whose_caller_gave_up_is_still_recorded(self, store: Store) -> None:
        caller = asyncio.create_task(say(store, "said"))
        await asyncio.sleep(0)  # one step: it is queued
        caller.cancel()
        await say(store, "later")
        turns = await store.view(DOMAIN, [SESSION]).turns_after(CHAT_KEY, 0, limit=9)
        assert [turn.text for turn in turns] == ["said", "later"]

    # --- one message, several connections

    async def test_a_message_over_two_connections_is_one_turn(self, store: Store) -> None:
        [first] = await say(store, heard("哈哈", "A", "1"))
        [second] = await say(store, heard("哈哈", "B", "77"))
        assert second == first
        view = store.view(DOMAIN, [SESSION])
        assert await view.turn_number(CHAT_KEY, "A", "1") == await view.turn_number(CHAT_KEY, "B", "77") == 1
        assert await view.turn_number(CHAT_KEY, "A", "77") is None
        assert await view.turn_number(OTHER_KEY, "A", "1") is None

    async def test_the_same_words_twice_through_one_connection_are_two_turns(self, store: Store) -> None:
        turns = await say(store, heard("哈哈", "A", "1"), heard("哈哈", "A", "2"))
        assert [turn.n for turn in turns] == [1, 2]
        copies = await say(store, heard("哈哈", "B", "8"), heard("哈哈", "B", "9"))
        assert [turn.n for turn in copies] == [1, 2]
        [third] = await say(store, heard("哈哈", "B", "10"))
        assert third.n == 3

    async def test_pairing_inside_one_batch(self, store: Store) -> None:
        new = [heard("哈哈", "A", "1"), heard("哈哈", "B", "1"), heard("哈哈", "A", "2"), heard("哈哈", "B", "2")]
        async with store.write(DOMAIN, [SESSION]) as write:
            turns = await write.add_turns(CHAT_KEY, [(turn, ["ha"]) for turn in [*new, new[0]]])
        assert [turn.n for turn in turns] == [1, 1, 2, 2, 1]
        assert turns[0] == turns[1] == turns[4]

    async def test_the_same_message_again_changes_nothing(self, store: Store) -> None:
        new = heard("one", "A", "1")
        [first] = await say(store, new)
        again = dataclasses.replace(new, name="小明2", said_at=NOON + timedelta(milliseconds=999))
        assert await say(store, new, again) == [first, first]
        async with store.write(DOMAIN, [SESSION]) as write:
            assert await write.add_turns(CHAT_KEY, [(new, ["one"]), (new, ["one"])]) == [first, first]

    @pytest.mark.parametrize("together", [False, True], ids=["apart", "together"])
    @pytest.mark.parametrize(
        "new",
        [
            heard("two", "A", "1"),
            heard("one", "A", "1", account=HONG),
            heard("one", "A", "1", said_at=NOON + timedelta(days=30)),
        ],
        ids=["text", "account", "time"],
    )
    async def test_a_message_id_that_comes_again_names_the_newer_message(
        self, store: Store, new: NewTurn, together: bool
    ) -> None:
        """Short ids are hashes, or counters that begin anew: only with what was said do they tell the same message."""
        old = heard("one", "A", "1")
        if together:
            async with store.write(DOMAIN, [SESSION]) as write:
                turns = await write.add_turns(CHAT_KEY, [(turn, words(turn.text)) for turn in (old, new, new)])
        else:
            turns = await say(store, old, new, new)
        assert [(turn.n, turn.text) for turn in turns] == [(1, "one"), (2, new.text), (2, new.text)]
        view = store.view(DOMAIN, [SESSION])
        assert await view.turn_number(CHAT_KEY, "A", "1") == 2
        assert await view.turns(CHAT_KEY, [1, 2]) == [turns[0], turns[1]]

    async def test_an_old_message_id_pairs_with_another_connections_copy(self, store: Store) -> None:
        await say(store, heard("long ago", "A", "1", said_at=NOON - timedelta(days=30)))
        [first] = await say(store, heard("哈哈", "B", "7"))
        [second] = await say(store, heard("哈哈", "A", "1"))
        assert (first.n, second) == (2, first)
        view = store.view(DOMAIN, [SESSION])
        assert await view.turn_number(CHAT_KEY, "A", "1") == await view.turn_number(CHAT_KEY, "B", "7") == 2

    async def test_a_bots_words_with_an_old_message_id_are_a_turn(self, store: Store) -> None:
        turns = await say(store, *(heard(text, "A", "1", role="bot") for text in ("好", "不好", "不好")))
        assert [turn.n for turn in turns] == [1, 2, 2]

    @pytest.mark.parametrize(
        "other",
        [
            heard("哈哈", "B", "2", account=HONG),
            heard("哈哈!", "B", "2"),
            heard("哈哈", "B", "2", said_at=NOON + timedelta(seconds=1)),
            heard("哈哈", "B", "2", role="bot"),
            a_turn("哈哈"),
            heard("哈哈", "B", ""),
        ],
        ids=["account", "text", "second", "role", "no id", "empty id"],
    )
    async def test_what_differs_is_another_turn(self, store: Store, other: NewTurn) -> None:
        turns = await say(store, heard("哈哈", "A", "1"), other)
        assert [turn.n for turn in turns] == [1, 2]

    async def test_a_bots_words_are_never_paired_by_text(self, store: Store) -> None:
        turns = await say(store, heard("好", "A", "1", role="bot"), heard("好", "B", "2", role="bot"))
        assert [turn.n for turn in turns] == [1, 2]

    async def test_within_one_second_the_milliseconds_do_not_matter(self, store: Store) -> None:
        turns = await say(
            store,
            heard("嗯", "A", "1", said_at=NOON + timedelta(milliseconds=999)),
            heard("嗯", "B", "2", said_at=NOON),
        )
        assert [turn.n for turn in turns] == [1, 1]

    async def test_sessions_and_domains_do_not_pair(self, store: Store) -> None:
        await say(store, heard("哈哈", "A", "1"))
        await say(store, heard("哈哈", "B", "2"), session_key=OTHER_KEY)
        await say(store, heard("哈哈", "A", "1"), domain="bot2")
        for domain, key in ((DOMAIN, OTHER_KEY), ("bot2", CHAT_KEY)):
            session = await store.view(domain, [session_scope(key)]).session(key)
            assert session is not None
            assert session.last_turn == 1

    # --- history

    async def test_reading_order_is_time_then_sequence_then_arrival(self, store: Store) -> None:
        later = NOON + timedelta(seconds=1)
        await say(
            store,
            a_turn("4", said_at=later, seq=2),
            a_turn("3", said_at=later, seq=1),
            a_turn("1"),
            a_turn("2"),
            a_turn("5", said_at=later, seq=2),
        )
        view = store.view(DOMAIN, [SESSION])
        assert self.texts(await view.recent_turns(CHAT_KEY, limit=10)) == ["1", "2", "3", "4", "5"]
        assert self.texts(await view.recent_turns(CHAT_KEY, limit=2)) == ["4", "5"]
        assert self.texts(await view.recent_turns(CHAT_KEY, limit=10, after=3)) == ["2", "5"]
        assert await view.recent_turns(CHAT_KEY, limit=0) == []
        assert await view.recent_turns(CHAT_KEY, limit=-1) == []

    async def test_history_of_a_long_session(self, store: Store) -> None:
        async with store.write(DOMAIN, [SESSION]) as write:
            turns = [a_turn(str(i), said_at=NOON + timedelta(seconds=i)) for i in range(1, 1201)]
            await write.add_turns(CHAT_KEY, [(turn, []) for turn in turns])
            await write.set_turn_state(CHAT_KEY, [1199], TurnState.COMMAND)
        view = store.view(DOMAIN, [SESSION])
        assert self.texts(await view.recent_turns(CHAT_KEY, limit=2)) == ["1198", "1200"]
        assert self.texts(await view.recent_turns(CHAT_KEY, limit=5, after=1197)) == ["1198", "1200"]

    async def test_only_ordinary_and_unlearnt_standing_turns_are_history(self, store: Store) -> None:
        await say(store, *(a_turn(state.value, state=state) for state in TurnState), "recalled", "suppressed")
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 6)
            await write.mark_suppressed(CHAT_KEY, [7, 99])
        view = store.view(DOMAIN, [SESSION])
        assert self.texts(await view.recent_turns(CHAT_KEY, limit=10)) == ["ordinary", "unlearnt"]
        rest = await view.turns_after(CHAT_KEY, 5, limit=10)
        assert [(turn.recalled, turn.suppressed, turn.stands) for turn in rest] == [
            (True, False, False),
            (False, True, False),
        ]

    async def test_what_was_taken_back_is_not_read_where_it_is_quoted(self, store: Store) -> None:
        def quoting(*messages: str) -> NewTurn:
            quotes = tuple(Quote(HONG, "小红", f"words of {id}", "reply", id) for id in messages)
            return heard(f"quoting {messages}", "1", f"q{messages}", quotes=(Quote(HONG, "小红", "kept"), *quotes))

        await say(store, heard("words of a", "1", "a"), heard("words of b", "1", "b"), quoting("a", "b"), quoting("x"))
        await say(store, heard("the same id elsewhere", "1", "a"), quoting("a"), session_key=OTHER_KEY)

        async def quoted(session_key: str = CHAT_KEY) -> list[list[str]]:
            view = store.view(DOMAIN, [session_scope(session_key)])
            turns = await view.turns_after(session_key, 0, limit=10)
            return [[quote.message_id for quote in turn.quotes] for turn in turns if turn.quotes]

        assert await quoted() == [["", "a", "b"], ["", "x"]]
        view = store.view(DOMAIN, [SESSION])
        assert [await view.turns_quoting(CHAT_KEY, n) for n in (1, 3, 9)] == [[3], [], []]
        assert await view.turns_quoting(OTHER_KEY, 1) == []
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 1)
            assert await write.mark_quotes_recalled(CHAT_KEY, "1", "x") == [4]
            assert await write.mark_quotes_recalled(CHAT_KEY, "2", "x") == []
        assert await quoted() == [["", "b"], [""]]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_suppressed(CHAT_KEY, [2])
            assert [quote.text for quote in (await write.turns(CHAT_KEY, [3]))[0].quotes] == ["kept"]
        assert await quoted(OTHER_KEY) == [["", "a"]]

    async def test_a_message_id_that_comes_again_names_another_message(self, store: Store) -> None:
        def quoting(id: str) -> NewTurn:
            quotes = (Quote(HONG, "小红", "quoted", "reply", id),)
            return heard(f"quoting {id}", "1", f"q{id}", quotes=quotes, said_at=NOON + timedelta(seconds=5))

        later = NOON + timedelta(hours=1)
        await say(store, heard("first a", "1", "a"), quoting("a"), quoting("x"))
        await say(store, heard("second a", "1", "a", said_at=later), heard("an x", "1", "x", said_at=later))
        view = store.view(DOMAIN, [SESSION])
        assert [await view.turns_quoting(CHAT_KEY, n) for n in (1, 4, 5)] == [[2], [], []]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 4)
            await write.mark_recalled(CHAT_KEY, 5)
        assert [len(turn.quotes) for turn in await view.turns(CHAT_KEY, [2, 3])] == [1, 1]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 1)
        assert [len(turn.quotes) for turn in await view.turns(CHAT_KEY, [2, 3])] == [0, 1]

    async def test_a_quoted_message_that_is_stored_late(self, store: Store) -> None:
        quotes = (Quote(HONG, "小红", "quoted", "reply", "a"),)
        await say(store, heard("quoting", "1", "q", quotes=quotes, said_at=NOON + timedelta(seconds=5)))
        await say(store, heard("quoted", "1", "a"))
        view = store.view(DOMAIN, [SESSION])
        assert await view.turns_quoting(CHAT_KEY, 2) == [1]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_suppressed(CHAT_KEY, [2])
        assert (await view.turns(CHAT_KEY, [1]))[0].quotes == ()

    async def test_each_connection_names_what_is_quoted_in_its_own_way(self, store: Store) -> None:
        for by, quoted, own in (("1", "a", "q"), ("2", "b", "r")):
            quotes = (Quote(HONG, "小红", "quoted", "reply", quoted),)
            await say(store, heard("quoting", by, own, quotes=quotes))
        async with store.write(DOMAIN, [SESSION]) as write:
            assert await write.mark_quotes_recalled(CHAT_KEY, "2", "b") == [1]
        assert (await store.view(DOMAIN, [SESSION]).turns(CHAT_KEY, [1]))[0].quotes == ()

    async def test_what_an_answer_was_made_with(self, store: Store) -> None:
        await say(store, "question", a_turn("answer", role="bot", recalled=(("m2", 0.9), ("m1", 0.5))))
        await say(store, a_turn("answer", role="bot", recalled=(("m3", 0.1),)), session_key=OTHER_KEY)
        view = store.view(DOMAIN, [SESSION])
        assert await view.recalled_items(CHAT_KEY, 2) == [("m2", 0.9), ("m1", 0.5)]
        assert await view.recalled_items(CHAT_KEY, 1) == await view.recalled_items(OTHER_KEY, 1) == []

    async def test_what_is_learnt_of_a_turn_later_is_added(self, store: Store) -> None:
        quote, line = Quote(HONG, "小红", "原话", "reply", "a"), Quote("", "小刚", "转发", "forward")
        await say(store, heard("原话", "1", "a"), heard("看", "1", "b", quotes=(quote,), mentions=((HONG, "10002"),)))
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 1)
            await write.add_to_turn(CHAT_KEY, 2, [line], {HONG: "小红", "qq:user:5": "x"})
            with pytest.raises(NotFoundError):
                await write.add_to_turn(CHAT_KEY, 9, [line], {})
        [turn] = await store.view(DOMAIN, [SESSION]).turns(CHAT_KEY, [2])
        assert (turn.quotes, turn.mentions) == ((line,), ((HONG, "小红"),))

    async def test_session_fields(self, store: Store, clock: HandClock) -> None:
        await say(store, "a", "b", "c")
        clock.advance(minutes=5)
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_watermark(CHAT_KEY, 2)
            await write.set_watermark(CHAT_KEY, 1)
            await write.set_summary(CHAT_KEY, "about a")
            await write.start_history(CHAT_KEY)
        session = await store.view(DOMAIN, [SESSION]).session(CHAT_KEY)
        assert session is not None
        assert (session.domain_id, session.key, session.last_turn) == (DOMAIN, CHAT_KEY, 3)
        assert (session.watermark, session.history_start, session.summary) == (2, 3, "about a")
        assert (session.created_at, session.updated_at) == (NOON, clock.now)

    async def test_a_watermark_stays_at_the_last_turn(self, store: Store) -> None:
        await say(store, "a")
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_watermark(CHAT_KEY, 50)
            session = await write.session(CHAT_KEY)
        assert session is not None
        assert session.watermark == 1

    async def test_a_write_makes_its_session(self, store: Store) -> None:
        async with store.write(DOMAIN, [SESSION]) as write:
            assert await write.session(CHAT_KEY) is None
            await write.set_summary(CHAT_KEY, "x")
            session = await write.session(CHAT_KEY)
        assert session is not None
        assert (session.last_turn, session.summary) == (0, "x")

    # --- the text index

    async def test_turns_are_found_by_their_terms(self, store: Store) -> None:
        await say(store, "red apple", "green pear", "red pear red")
        assert await found_turns(store, "green") == [2]
        assert await found_turns(store, "apple red") == [1, 3]
        assert await found_turns(store, "red", session_key=OTHER_KEY) == []
        found = await store.view(DOMAIN, [SESSION]).turn_candidates(CHAT_KEY, ["red", "blue"])
        assert dict(found.frequency) == {"red": 2, "blue": 0}
        assert {d.ref: (d.length, dict(d.counts)) for d in found.documents} == {1: (2, {"red": 1}), 3: (3, {"red": 2})}
        assert (found.sizes[SESSION].documents, found.sizes[SESSION].terms) == (3, 7)

    async def test_states_and_marks_move_turns_in_and_out(self, store: Store) -> None:
        await say(store, *(a_turn(f"word {state.value}", state=state) for state in TurnState))
        assert sorted(await found_turns(store, "word")) == [1, 2, 4]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_turn_state(CHAT_KEY, [1, 2, 4, 77], TurnState.COMMAND)
            await write.set_turn_state(CHAT_KEY, [3], TurnState.ORDINARY)
            await write.set_turn_state(CHAT_KEY, [3], TurnState.OPEN)
        assert await found_turns(store, "word") == [3]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_turn_state(CHAT_KEY, [1, 4], TurnState.ORDINARY)
            await write.mark_recalled(CHAT_KEY, 1)
            await write.mark_recalled(CHAT_KEY, 1)
            await write.mark_suppressed(CHAT_KEY, [2, 3])
        assert await found_turns(store, "word") == [4]
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_turn_state(CHAT_KEY, [1, 2, 3], TurnState.COMMAND)
            await write.set_turn_state(CHAT_KEY, [1, 2, 3], TurnState.ORDINARY)
        assert await found_turns(store, "word") == [4]
        sizes = (await store.view(DOMAIN, [SESSION]).turn_candidates(CHAT_KEY, ["word"])).sizes
        assert (sizes[SESSION].documents, sizes[SESSION].terms) == (1, 2)

    async def test_what_enters_the_index_late(self, store: Store) -> None:
        await say(store, a_turn("hidden command", state=TurnState.COMMAND), "gone soon")
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.mark_recalled(CHAT_KEY, 2)
            with pytest.raises(NotFoundError):
                await write.mark_recalled(CHAT_KEY, 9)
        assert await found_turns(store, "hidden gone") == []
        async with store.write(DOMAIN, [SESSION]) as write:
            await write.set_turn_state(CHAT_KEY, [1, 2], TurnState.ORDINARY)
        assert await found_turns(store, "hidden gone") == [1]

    async def test_a_long_text(self, store: Store) -> None:
        text = " ".join(f"w{i}" for i in range(3000))
        [turn] = await say(store, text)
        assert (await found_turns(store, "w2999")) == [turn.n]

    @staticmethod
    def texts(turns: list[Turn]) -> list[str]:
        return [turn.text for turn in turns]
