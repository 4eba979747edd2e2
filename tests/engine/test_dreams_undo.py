"""A dream's patch: shown, taken back exactly, refused where that would undo somebody else's work, let through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nonebot_plugin_scoped_memory.engine.changing import Actor
from nonebot_plugin_scoped_memory.engine.errors import NotFoundError, UndoRefusedError
from nonebot_plugin_scoped_memory.engine.models import Item
from nonebot_plugin_scoped_memory.engine.revising import Rights

from .dreaming import DreamModel, archive, changing, dreamt, label_of, learnt, line_with, steps, talk, update
from .helpers import GROUP, MING, OPERATOR, OTHER_GROUP, BigramEmbedder, Memory, chat, found, memory, said

M = "小明（10001）"
MANY = [f"{M}收藏了第{n}号邮票" for n in range(11, 41)]


def everything(prompt: str) -> str:
    return changing(
        archive(label_of(prompt, "Haskell"), line_with(prompt, "haskell")),
        update(label_of(prompt, "吉他"), "u1 在学吉他，每周三上课", line_with(prompt, "吉他")),
    )


def model() -> DreamModel:
    return DreamModel(extract=lambda _: said(found("u1 主要写 Rust", "t1", key="language")), review=everything)


async def full_dream(memo: Memory):
    """Extraction with a superseded item, a merge, an archive, an update and a summary."""
    await learnt(memo, *MANY, f"{M}在学 Haskell", f"{M}在学吉他", f"{M}喜欢红茶", f"{M}很喜欢红茶")
    await learnt(memo, f"{M}主要写 Python", key="language")
    before = await state(memo)
    await talk(memo, "haskell 让人头大，写 Rust", "嗯", "吉他课改到周三", *(f"话题{n}" for n in range(4, 13)))
    run = await dreamt(memo)
    assert {step[0] for step in steps(run)} == {
        *("supersede", "add", "merge", "archive", "update", "summary"),
    }
    assert {step[1] for step in steps(run)} == {"applied"}
    return run, before


async def state(memo: Memory) -> dict[str, Item]:
    """Everything but the version, which goes up with an undo too."""
    return {item.id: replace(item, version=0) for item in await memo.items()}


async def test_undo_restores_exactly() -> None:
    async with memory(llm=model(), embedder=BigramEmbedder(), extract_every_turns=99) as memo:
        run, before = await full_dream(memo)
        assert await state(memo) != before
        decided = await memo.engine.undo_dream(run.id, OPERATOR)
        assert decided.skipped == ()
        assert await state(memo) == before
        assert (await memo.session()).summary == ""
        # It is found again by its words and by its vector.
        await memo.engine.drain()
        assert f"{M}在学 Haskell" in await memo.found("Haskell")
        stored = await memo.engine.dream_run(run.id)
        assert (stored.status, {one.state for one in stored.operations}) == ("undone", {"undone"})
        with pytest.raises(NotFoundError):
            await memo.engine.undo_dream(run.id, OPERATOR)
        # The same messages do not bring it all back.
        await dreamt(memo)
        assert await state(memo) == before


async def test_undo_gives_back_evidence_too() -> None:
    def tea(prompt: str) -> str:
        return said(found("u1 喜欢红茶", line_with(prompt, "红茶")))

    async with memory(llm=DreamModel(extract=tea), extract_every_turns=99) as memo:
        await talk(memo, "红茶真香")
        await dreamt(memo)
        (item,) = await memo.items()
        await talk(memo, "还是红茶好喝")
        run = await dreamt(memo)
        assert [(step[0], step[1]) for step in steps(run)] == [("evidence", "applied")]
        assert len(await memo.evidence(item)) == 2
        await memo.engine.undo_dream(run.id, OPERATOR)
        assert [e.turn for e in await memo.evidence(item)] == [1]
        assert await memo.items() == [item]


async def test_it_refuses_where_a_person_has_edited_since_and_changes_nothing() -> None:
    async with memory(llm=model(), extract_every_turns=99) as memo:
        run, _ = await full_dream(memo)
        new = next(item for item in await memo.items() if "每周三" in item.content)
        await memo.engine.update_item(new.id, scopes=[chat(GROUP)], content=f"{M}在学吉他，每周四上课", actor=MING)
        before = await memo.items(status=None)
        with pytest.raises(UndoRefusedError) as caught:
            await memo.engine.undo_dream(run.id, OPERATOR)
        assert (caught.value.item_id, caught.value.why) == (new.id, "changed")
        assert await memo.items(status=None) == before
        assert (await memo.engine.dream_run(run.id)).status == "done"


async def test_it_refuses_where_the_slot_is_taken() -> None:
    async with memory(llm=DreamModel(review=lambda p: changing(archive(label_of(p, "Python"), "t1")))) as memo:
        await learnt(memo, *MANY)
        await learnt(memo, f"{M}主要写 Python", key="language")
        await talk(memo, "python 让人头大")
        run = await dreamt(memo)
        holder = await memo.add(f"{M}主要写 Go", subject=MING, key="language")
        with pytest.raises(UndoRefusedError) as caught:
            await memo.engine.undo_dream(run.id, OPERATOR)
        (gone,) = await memo.items(status="archived")
        assert (caught.value.item_id, caught.value.why, caught.value.holder_id) == (gone.id, "taken", holder.id)
        assert (await memo.items(status="archived"))[0] == gone


async def test_it_skips_what_rests_on_messages_that_were_taken_back_since() -> None:
    model = DreamModel(extract=lambda _: said(found("u1 在学 Haskell", "t1")))
    async with memory(llm=model, extract_every_turns=99) as memo:
        await learnt(memo, *MANY)
        first = await memo.speak("haskell 好玩")
        await dreamt(memo)
        memo.clock.move(hours=1)
        model.answers["extract"] = lambda _: said()
        model.answers["review"] = lambda prompt: changing(archive(label_of(prompt, "Haskell"), "t2"))
        await memo.speak("haskell 让人头大")
        run = await dreamt(memo)
        assert [step[:2] for step in steps(run)] == [("archive", "applied")]
        async with memo.write() as tx:
            await tx.mark_recalled(GROUP, first.n)
        decided = await memo.engine.undo_dream(run.id, OPERATOR)
        assert [one.reason for one in decided.skipped] == ["evidence_gone"]
        assert not any("Haskell" in content for content in await memo.contents())


async def test_undo_of_a_merge_whose_other_half_was_forgotten() -> None:
    async with memory() as memo:
        await learnt(memo, *MANY, f"{M}喜欢红茶", f"{M}很喜欢红茶")
        await talk(memo, "话题1")
        first = await dreamt(memo)
        kept = next(item for item in await memo.items() if "红茶" in item.content)
        await memo.engine.retract_item(kept.id, scopes=[chat(GROUP)], rights=Rights(Actor("x", operator=True)))
        decided = await memo.engine.undo_dream(first.id, OPERATOR)
        # The other wording is back: only the one that was forgotten is gone.
        assert decided.skipped == ()
        assert f"{M}很喜欢红茶" in await memo.contents()


# ------------------------------------------------------------------ approval


async def waiting_merge(memo: Memory):
    await learnt(memo, f"{M}喜欢红茶", f"{M}很喜欢红茶")
    await talk(memo, "话题1")
    run = await dreamt(memo)
    assert [step[:2] for step in steps(run)] == [("merge", "waiting")]
    return run


async def test_approval_lets_through_what_waits_and_can_be_undone() -> None:
    async with memory() as memo:
        run = await waiting_merge(memo)
        before = await state(memo)
        decided = await memo.engine.approve_dream(run.id, OPERATOR)
        assert [one.action for one in decided.done] == ["merge"]
        assert await memo.contents() == [f"{M}喜欢红茶"]
        (gone,) = await memo.items(status="archived")
        assert (await memo.events(gone))[-1].actor == OPERATOR.account
        with pytest.raises(NotFoundError):
            await memo.engine.approve_dream(run.id, OPERATOR)
        await memo.engine.undo_dream(run.id, OPERATOR)
        assert await state(memo) == before


async def test_what_was_overtaken_meanwhile_is_skipped() -> None:
    async with memory() as memo:
        run = await waiting_merge(memo)
        item = next(item for item in await memo.items() if "很喜欢" in item.content)
        await memo.engine.update_item(item.id, scopes=[chat(GROUP)], content=f"{M}很喜欢绿茶", actor=MING)
        before = await memo.items(status=None)
        decided = await memo.engine.approve_dream(run.id, OPERATOR)
        assert [one.reason for one in decided.skipped] == ["changed_since"]
        assert await memo.items(status=None) == before


async def test_an_update_that_waits_is_approved_word_for_word() -> None:
    async with memory(
        llm=DreamModel(review=lambda p: changing(update(label_of(p, "吉他"), "u1 在学吉他，每周三上课", "t1")))
    ) as memo:
        await learnt(memo, f"{M}在学吉他")
        await talk(memo, "吉他课改到周三")
        run = await dreamt(memo)
        (operation,) = run.operations
        assert operation.state == "waiting"
        assert operation.after is not None
        await memo.engine.approve_dream(run.id, OPERATOR)
        assert await memo.contents() == [operation.after.content]


async def test_undo_lets_go_what_waits() -> None:
    async with memory() as memo:
        run = await waiting_merge(memo)
        await memo.engine.undo_dream(run.id, OPERATOR)
        with pytest.raises(NotFoundError):
            await memo.engine.approve_dream(run.id, OPERATOR)


async def test_runs_of_another_domain_are_not_found() -> None:
    async with memory() as memo:
        run = await waiting_merge(memo)
        for call in (memo.engine.dream_run(run.id, domain_id="bot:2"), memo.engine.dream_run("zzzzzz")):
            with pytest.raises(NotFoundError):
                await call
        with pytest.raises(NotFoundError):
            await memo.engine.undo_dream(run.id, OPERATOR, domain_id="bot:2")
        with pytest.raises(NotFoundError):
            await memo.engine.approve_dream(run.id, OPERATOR, domain_id="bot:2")
        assert await memo.engine.dream_runs(domain_id="bot:2") == []
        await talk(memo, "话题1", session=OTHER_GROUP)
        other = await dreamt(memo, OTHER_GROUP)
        assert [one.id for one in await memo.engine.dream_runs()] == [other.id, run.id]
