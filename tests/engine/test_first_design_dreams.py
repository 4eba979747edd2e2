"""The first design, phases 3 and 5: each of its acceptance lines and named tests, under ``shared_writes = auto``, which
is that design word for word. What tools say of the code (types, style, all tests) is checked where they run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE, ScopeRef

from .dreaming import DreamModel, archive, changing, dreamt, labels, learnt
from .helpers import BigramEmbedder, Memory, found, memory, said

A, B, OLD = "milky:private:10001", "milky:private:10002", "milky:10003"
A_CHAT, B_CHAT = ScopeRef("chat", A), ScopeRef("chat", B)
USER_A, USER_B, USER_OLD = "milky:user:10001", "milky:user:10002", "milky:user:10003"
SECRET = {A: "蓝莓松饼", B: "海盐薄荷"}
"""A word for each chat that no other chat may meet."""
PACKAGE = Path(__file__).parents[2] / "nonebot_plugin_scoped_memory"


def finds(prompt: str) -> str:
    """What each person says they like, and the decision, if the line has one."""
    items = []
    for line, words in re.findall(r"^\[(t\d+) [^\]]* u1 [^\]]*\] (.*)$", prompt, re.MULTILINE):
        if "周会" in words:
            items.append(found("周会改到周四", line, kind="decision", subject=None))
        elif "真香" in words:
            items.append(found(f"u1 喜欢{words.removesuffix('真香')}", line, kind="preference"))
    return said(*items)


def archives_all_but_one(prompt: str) -> str:
    """Everything that a model could do: each label that was shown, and many that were not."""
    lines = re.findall(r"^\[(t\d+) ", prompt, re.MULTILINE)
    shown = list(labels(prompt))
    return changing(*(archive(label, *lines) for label in (*shown[1:], *(f"m{n}" for n in range(100, 140)))))


def model() -> DreamModel:
    return DreamModel(extract=finds, review=archives_all_but_one, summary=lambda prompt: prompt[-300:])


async def talk_in(memo: Memory, session: str, account: str) -> None:
    """Four messages; the first names what this chat alone knows."""
    word = SECRET.get(session, "旧城区的面")
    for words in (f"{word}真香", "周会那件事大家定了", "家里的邮票都收好了", "哈哈"):
        await memo.speak(words, account, session)


# ------------------------------------------------------------------ phase 3: dreaming and vectors


async def test_what_a_dream_finds_is_written_to_the_sessions_own_chat() -> None:
    async with memory(shared_writes="auto", llm=model(), extract_every_turns=99) as memo:
        await talk_in(memo, A, USER_A)
        await dreamt(memo, A)
        assert [(item.kind, item.scope) for item in await memo.items(A_CHAT)] == [("preference", A_CHAT)]


async def test_one_dream_writes_each_kind_to_its_own_scope() -> None:
    async with memory(shared_writes="auto", llm=model(), extract_every_turns=99) as memo:
        await talk_in(memo, A, USER_A)
        await dreamt(memo, A)
        assert [item.kind for item in await memo.items(A_CHAT)] == ["preference"]
        assert [(item.kind, item.content) for item in await memo.items(GLOBAL_SCOPE)] == [("decision", "周会改到周四")]


async def test_what_a_dream_finds_in_a_legacy_session_is_written_to_global() -> None:
    async with memory(shared_writes="auto", llm=model(), extract_every_turns=99) as memo:
        await talk_in(memo, OLD, USER_OLD)
        await dreamt(memo, OLD)
        assert sorted(item.kind for item in await memo.items(GLOBAL_SCOPE)) == ["decision", "preference"]


async def test_a_dream_of_b_archives_nothing_of_a() -> None:
    async with memory(shared_writes="auto", llm=model(), extract_every_turns=99) as memo:
        for session, account in ((A, USER_A), (B, USER_B)):
            contents = [f"收藏了第{n}号邮票" for n in range(11, 41)]
            await learnt(memo, *contents, subject=account, session=session)
        before = await memo.items(A_CHAT, status=None)
        await talk_in(memo, B, USER_B)
        run = await dreamt(memo, B)
        # It did archive in its own chat: the model tried.
        assert any((one.action, one.state) == ("archive", "applied") for one in run.operations)
        assert await memo.items(A_CHAT, status=None) == before


async def test_vectors_are_refreshed_in_global_and_in_every_chat(tmp_path: Path) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    contents = {A_CHAT: "喜欢手冲咖啡", B_CHAT: "喜欢手冲乌龙", GLOBAL_SCOPE: "活动喜欢手冲的优先"}
    async with memory(url, shared_writes="auto") as memo:  # without vectors so far
        for where, content in contents.items():
            await memo.add(content, where)
    embedder = BigramEmbedder()
    async with memory(url, shared_writes="auto", embedder=embedder) as memo:
        missing = await memo.engine.maintenance.list_items_all_scopes(embedder.model, limit=99)
        assert {item.scope for _, item in missing} == set(contents)
        await memo.engine.sweep_dreams()
        assert await memo.engine.maintenance.list_items_all_scopes(embedder.model, limit=99) == []
        assert sorted(text for text in embedder.texts if text in contents.values()) == sorted(contents.values())


async def test_dreams_of_two_sessions_do_not_disturb_each_other() -> None:
    """Each chat comes to the same, whether or not the other one was dreamt of before."""
    outcomes: list[dict[ScopeRef, list[tuple[str, str]]]] = []
    for order in ((A, B), (B, A)):
        async with memory(shared_writes="auto", llm=model(), extract_every_turns=99) as memo:
            for session, account in ((A, USER_A), (B, USER_B)):
                await talk_in(memo, session, account)
            for session in order:
                await dreamt(memo, session)
            outcomes.append(
                {
                    where: [(item.content, item.status) for item in await memo.items(where, status=None)]
                    for where in (A_CHAT, B_CHAT)
                }
            )
    assert outcomes[0] == outcomes[1]
    assert all(outcomes[0].values())


# ------------------------------------------------------------------ phase 5: from end to end


@pytest.mark.parametrize("mode", ["fts", "hybrid"])
async def test_two_sessions_go_through_writing_search_and_dream_and_nothing_leaks(mode: str) -> None:
    talker = model()
    embedder = BigramEmbedder() if mode == "hybrid" else None
    async with memory(shared_writes="auto", llm=talker, embedder=embedder, extract_every_turns=99) as memo:
        for session, account in ((A, USER_A), (B, USER_B)):
            await memo.engine.commit_turn(session, {"facts": [f"生日那天吃了{SECRET[session]}"]})
            await talk_in(memo, session, account)
            await memo.extract(session)
        for _ in range(2):
            for session in (A, B):
                await dreamt(memo, session)
            await memo.engine.sweep_dreams()
            await memo.engine.drain()
            for session, other in ((A, B), (B, A)):
                question = f"{SECRET[A]}和{SECRET[B]}，周会"
                package = await memo.engine.compose_context(session, question)
                shown = [*await memo.found(question, session), package.summary, package.memory_block()]
                shown += [turn.text for turn in package.turns]
                assert any(SECRET[session] in words for words in shown)
                assert any("周会改到周四" in words for words in shown)
                assert not any(SECRET[other] in words for words in shown)
                for turn in await memo.engine.search_turns(SECRET[other], session_id=session):
                    assert turn.turn.session_key == session
    for _, prompt in talker.calls:
        assert not (SECRET[A] in prompt and SECRET[B] in prompt)


async def test_a_legacy_session_sees_no_chats_words_after_dreams() -> None:
    async with memory(shared_writes="auto", llm=model(), extract_every_turns=99) as memo:
        await talk_in(memo, A, USER_A)
        await dreamt(memo, A)
        assert await memo.recalled(f"{SECRET[A]} 周会", OLD) == ["周会改到周四"]


def test_no_scope_is_spelt_out_beside_its_constants() -> None:
    """Every other file takes ``global`` and ``__global__`` from ``scope.py``."""
    spelt = re.compile(r"""["'](?:global|__global__)["']""")
    allowed = {"scope.py"}
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name not in allowed
        for line in path.read_text(encoding="utf-8").splitlines()
        if spelt.search(line)
    ]
    assert found == []
