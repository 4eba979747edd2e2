"""A small world of chats in which every statement carries a word of its own.

Whatever the engine hands out, to a prompt or to a person, is searched for words that its reader may not have.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.errors import NotFoundError
from nonebot_plugin_scoped_memory.engine.models import Quote
from nonebot_plugin_scoped_memory.engine.prompt import ContextPackage, chat_messages
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, home_scope, plan_for_session

from .canaries import MARK, WORD, CanaryEmbedder, Oracle, belongs_to, hostile_echo
from .helpers import BOT, HONG, OPERATOR, FakeChat, HandClock, Memory, memory

ALICE, BOB, CAROL = "qq:user:10001", "qq:user:10002", "qq:user:10003"
CHATS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("qq:private:10001", (ALICE,)),
    ("qq:private:10002", (BOB,)),
    ("qq:group:20001", (ALICE, BOB, CAROL)),
    ("qq:group:20001:cron:x", (ALICE,)),
    ("qq:group:10001", (ALICE, CAROL)),
    ("milky:10001", ("milky:user:10001",)),
)
"""Sessions and who speaks there. Two are of one chat; two have one number; the last is legacy and has no chat."""

ACTIONS = (
    "like", "like", "decide", "talk", "talk", "request", "quote", "answer", "operator_decides", "commit", "remember",
    "extract", "extract", "ask", "ask", "search", "forget", "approve", "approve", "reject", "take_back", "new",
)  # fmt: skip


class Op(NamedTuple):
    """Something that happens in a chat. ``pick`` chooses among what there is: members, messages, items, candidates."""

    action: str
    chat: int
    pick: int


class World:
    """One database with many domains: each run of steps happens in a domain that nobody used before.

    ``interleaved`` counts the pairs of operations of two sessions that ran at the same time and both did something.
    """

    def __init__(self, url: str, mode: str) -> None:
        self.mode = mode
        self.url = url
        self.clock = HandClock()
        self.interleaved = 0
        self.model = FakeChat(reply=self._complete)
        self._words = itertools.count()
        self._domains = itertools.count()
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        self.memo: Memory = await self._stack.enter_async_context(
            memory(
                self.url,
                clock=self.clock,
                llm=self.model,
                embedder=None if self.mode == "lexical" else CanaryEmbedder(),
                extract_every_turns=5,
                daily_tokens=10**9,
                recall_limit=50,
                max_items_per_scope=50,
                recall_tokens=5_000,
            )
        )
        self.engine = self.memo.engine

    async def close(self) -> None:
        await self._stack.aclose()

    async def run(self, steps: Sequence[tuple[Op, ...] | None]) -> None:
        """Do these steps, the operations of each at the same time; None restarts the engine. Then look at it all."""
        self.domain = f"world-{next(self._domains)}"
        self.oracle = Oracle()
        self.messages: dict[str, list[tuple[str, str, int]]] = {}
        self.taken_back: set[tuple[str, int]] = set()
        self.failures: list[AssertionError] = []
        for step in steps:
            if step is None:
                await self.close()
                await self.open()
                continue
            busy = sum(await asyncio.gather(*(self._do(op) for op in step)))
            self.interleaved += busy * (busy - 1) // 2
        await self.engine.drain()
        for session, _ in CHATS:
            await self._audit(session)
        if self.failures:
            raise self.failures[0]

    async def _do(self, op: Op) -> bool:
        """Whether there was anything to do."""
        session, members = CHATS[op.chat]
        return await getattr(self, f"_{op.action}")(session, members[op.pick % len(members)], op.pick) is not False

    async def _complete(self, prompt: str) -> str:
        try:
            self.oracle.check_prompt(prompt)
        except AssertionError as e:  # the engine would take it for its own
            self.failures.append(e)
        await asyncio.sleep(0)
        return hostile_echo(prompt)

    # ------------------------------------------------------------------ what happens

    def _word(self, session: str) -> str:
        n = next(self._words)
        word = "canary" + "".join(chr(ord("a") + n // 26**place % 26) for place in range(4))
        self.oracle.owner[word] = belongs_to(session)
        return word

    async def _say(self, session: str, account: str, template: str, word: str = "", **fields: Any) -> None:
        word = word or self._word(session)
        id = f"{self.domain}-{word}"
        ids = (("30001", id),)
        text = template.format(word)
        turn = await self.memo.speak(text, account, session, domain=self.domain, message_ids=ids, **fields)
        self.messages.setdefault(session, []).append((id, word, turn.n))

    async def _like(self, session: str, account: str, _pick: int) -> None:
        word = self._word(session)
        if home_scope(session) != GLOBAL_SCOPE:
            self.oracle.expect(session, word)
        await self._say(session, account, "我喜欢{}", word)

    async def _decide(self, session: str, account: str, _pick: int) -> None:
        await self._say(session, account, "我们决定用{}")

    async def _talk(self, session: str, account: str, _pick: int) -> None:
        await self._say(session, account, "今天{}真热闹")

    async def _request(self, session: str, account: str, _pick: int) -> None:
        await self._say(session, account, "记住我们决定周会叫{}")

    async def _quote(self, session: str, account: str, _pick: int) -> None:
        quotes = (Quote(HONG, "小红", f"我讨厌{self._word(session)}"),)
        await self._say(session, account, "哈哈{}", quotes=quotes)

    async def _answer(self, session: str, _account: str, _pick: int) -> None:
        await self._say(session, BOT, "好的{}")

    async def _operator_decides(self, session: str, _account: str, _pick: int) -> None:
        word = self._word(session)
        self.oracle.shared.add(word)
        await self._say(session, OPERATOR.account, "记住：我们决定用{}", word, operator=True)

    async def _commit(self, session: str, _account: str, _pick: int) -> None:
        events = {
            "messages": [{"role": "user", "content": f"说说{self._word(session)}"}],
            "facts": [f"这里有{self._word(session)}"],
            "decisions": [f"以后用{self._word(session)}"],
        }
        await self.engine.commit_turn(session, events, domain_id=self.domain)

    async def _remember(self, session: str, account: str, _pick: int) -> None:
        word = self._word(session)
        if home_scope(session) != GLOBAL_SCOPE:
            self.oracle.expect(session, word)
        await self.memo.remember(f"我喜欢{word}", account, session, domain=self.domain)

    async def _extract(self, session: str, _account: str, _pick: int) -> None:
        await self.engine.listener.extract(self.domain, session)

    async def _new(self, session: str, _account: str, _pick: int) -> None:
        await self.engine.listener.start_conversation(self.domain, session)

    async def _take_back(self, session: str, _account: str, pick: int) -> bool:
        if sent := self.messages.get(session):
            id, word, n = sent[pick % len(sent)]
            self.taken_back.add((session, n))
            self.oracle.unexpect(session, [word])
            await self.engine.listener.take_back(self.domain, session, "30001", id)
        return bool(sent)

    async def _forget(self, session: str, _account: str, pick: int) -> bool:
        own = home_scope(session)
        items = [] if own == GLOBAL_SCOPE else await self.engine.list_items(read=[own], domain_id=self.domain)
        if items:
            item = items[pick % len(items)]
            self.oracle.unexpect(session, WORD.findall(item.content))
            with contextlib.suppress(NotFoundError):  # two of one chat may forget the same
                await self.engine.retract_item(item.id, scopes=plan_for_session(session), domain_id=self.domain)
        return bool(items)

    async def _approve(self, _session: str, _account: str, pick: int) -> bool:
        if waiting := await self.engine.pending_reviews(domain_id=self.domain):
            candidate = waiting[pick % len(waiting)]
            self.oracle.shared.update(WORD.findall(candidate.content))
            with contextlib.suppress(NotFoundError):
                await self.engine.approve(candidate.id, OPERATOR, domain_id=self.domain)
        return bool(waiting)

    async def _reject(self, _session: str, _account: str, pick: int) -> bool:
        if waiting := await self.engine.pending_reviews(domain_id=self.domain):
            with contextlib.suppress(NotFoundError):
                await self.engine.reject(waiting[pick % len(waiting)].id, OPERATOR, domain_id=self.domain)
        return bool(waiting)

    # ------------------------------------------------------------------ what is read

    def _question(self) -> str:
        """Asks for the words of all chats."""
        everything = " ".join(self.oracle.owner)
        return {"lexical": everything, "vector": MARK, "hybrid": f"{MARK} {everything}"}[self.mode]

    async def _compose(self, session: str, account: str) -> ContextPackage:
        package = await self.engine.compose_context(session, self._question(), domain_id=self.domain, speaker=account)
        prompt = ""
        if package.turns:
            messages = chat_messages(package, "你好", package.turns[-1], group="group" in session)
            prompt = "\n".join(message["content"] for message in messages)
        self.oracle.check(session, package.memory_block(), prompt, repr(package))
        assert {item.scope for item in package.items} <= set(plan_for_session(session))
        assert {turn.session_key for turn in package.turns} <= {session}
        return package

    async def _ask(self, session: str, account: str, _pick: int) -> None:
        await self._compose(session, account)

    async def _search(self, session: str, account: str, _pick: int) -> None:
        plan, question = plan_for_session(session), self._question()
        scored = await self.engine.search_memory(question, plan, 100, domain_id=self.domain, speaker=account)
        said_here = await self.engine.search_turns(question, session_id=session, domain_id=self.domain, limit=100)
        self.oracle.check(session, repr(scored), repr(said_here))
        assert {one.item.scope for one in scored} <= set(plan)
        assert {one.turn.session_key for one in said_here} <= {session}

    async def _audit(self, session: str) -> None:
        """At the end of a run: what is stored where, and that what has to be there is there."""
        package = await self._compose(session, CHATS[0][1][0])
        own = home_scope(session)
        items = await self.engine.list_items(read=plan_for_session(session), status=None, domain_id=self.domain)
        self.oracle.check(session, repr(items))
        active = [item for item in items if item.status == "active"]
        words = {word for item in active if item.scope == own for word in WORD.findall(item.content)}
        missing = self.oracle.expected.get(belongs_to(session), set()) - words
        assert not missing, f"{session} lost {missing}"
        view = self.memo.view(*plan_for_session(session), domain=self.domain)
        for evidence in (await view.evidence(item.id for item in active)).values():
            places = {(e.session_key, e.turn) for e in evidence}
            assert not places or places - self.taken_back, f"{session} has an item of messages that were taken back"
        assert not {(session, turn.n) for turn in package.turns} & self.taken_back


# ------------------------------------------------------------------ many runs


INTERLEAVINGS = 2_000
"""At least so many pairs of operations of two sessions ran at the same time in each mode."""
RUNS, STEPS, AT_ONCE = 60, 10, 4

OPERATION = st.builds(Op, st.sampled_from(ACTIONS), st.integers(0, len(CHATS) - 1), st.integers(0, 11))
STEP = st.lists(OPERATION, min_size=AT_ONCE, max_size=AT_ONCE + 1, unique_by=lambda op: op.chat).map(tuple)
RUN = st.tuples(st.lists(STEP, min_size=STEPS, max_size=STEPS), st.none() | st.integers(1, STEPS - 1))


def check_isolation(mode: str, folder: Path) -> None:
    """Runs of random steps, half of them with a restart of the engine on the same file."""
    loop = asyncio.new_event_loop()
    world = World(f"sqlite:///{(folder / 'memory.db').as_posix()}", mode)

    @settings(max_examples=RUNS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(run=RUN)
    def all_runs(run: tuple[list[tuple[Op, ...]], int | None]) -> None:
        steps, restart = run
        loop.run_until_complete(world.run(steps if restart is None else [*steps[:restart], None, *steps[restart:]]))

    loop.run_until_complete(world.open())
    try:
        all_runs()
    finally:
        loop.run_until_complete(world.close())
        loop.close()
    assert world.interleaved >= INTERLEAVINGS
