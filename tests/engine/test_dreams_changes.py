"""What a dream changes, and what it must leave alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from nonebot_plugin_scoped_memory.engine.dreaming.wording import says_the_same
from nonebot_plugin_scoped_memory.engine.models import Evidence, NewItem
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE
from nonebot_plugin_scoped_memory.engine.settings import DreamSettings

from .dreaming import DreamModel, archive, changing, dreamt, label_of, labels, learnt, line_with, steps, talk, update
from .helpers import GROUP, HONG, MING, OTHER_GROUP, Memory, chat, found, memory, said

M = "小明（10001）"
MANY = [f"{M}收藏了第{n}号邮票" for n in range(11, 41)]
"""So many that a dream may take some away."""


# ------------------------------------------------------------------ near-duplicates

SAME = [
    (f"{M}喜欢手冲咖啡", f"{M}很喜欢手冲咖啡。"),
    (f"{M}喜欢手冲咖啡", f"{M}喜欢喝手冲咖啡"),
    (f"{M}爱吃火锅", f"{M}特别喜欢吃火锅"),
    (f"{M}的猫叫豆豆", f"{M}的猫名叫豆豆"),
    (f"{M}住在杭州", f"{M}目前居住在杭州"),
    (f"{M}主要写 Python", "明明（10001）主要写python"),
]
DIFFERENT = [
    (f"{M}喜欢香菜", f"{M}不喜欢香菜"),
    (f"{M}很喜欢香菜", f"{M}不是很喜欢香菜"),
    (f"{M}养了三只猫", f"{M}养了两只猫"),
    (f"{M}收藏了第11号邮票", f"{M}收藏了第12号邮票"),
    (f"{M}2026-12-05要去爬山", f"{M}2026-12-06要去爬山"),
    (f"{M}前天去爬山", f"{M}后天去爬山"),
    (f"{M}在做前端开发", f"{M}在做后端开发"),
    (f"{M}会弹吉他", f"{M}想弹吉他"),
    (f"{M}以前喜欢跑步", f"{M}喜欢跑步"),
    (f"{M}写 C", f"{M}写 C++"),
    (f"{M}欠小红（10002）钱", f"{M}欠小刚（10003）钱"),
    (f"{M}觉得小红比小刚高", f"{M}觉得小刚比小红高"),
    (f"{M}体重 6.5 公斤", f"{M}体重 65 公斤"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
async def test_near_duplicates_become_one_item_with_the_evidence_of_both(one: str, other: str) -> None:
    async with memory() as memo:
        await learnt(memo, *MANY)
        turns = [await memo.speak(words) for words in ("话题1", "话题2")]
        for turn, content in zip(turns, (one, other), strict=True):
            (item,) = await memo.engine.add_items([NewItem(chat(GROUP), "fact", content, subject=MING, origin="llm")])
            async with memo.write() as tx:
                await tx.add_evidence(item.id, [Evidence(GROUP, turn.n, MING, turn.text)])
            memo.clock.move(minutes=1)
        run = await dreamt(memo)
        assert steps(run) == [("merge", "applied", "says_the_same"), ("evidence", "applied", "")]
        (kept,) = [item for item in await memo.items() if item.content in (one, other)]
        assert kept.content == one
        assert [e.turn for e in await memo.evidence(kept)] == [turn.n for turn in turns]
        (gone,) = await memo.items(status="archived")
        assert (gone.content, gone.successor) == (other, kept.id)
        assert [event.action for event in await memo.events(gone)] == ["added", "merged"]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
async def test_never_across_a_different_negation_number_date_or_name(one: str, other: str) -> None:
    async with memory() as memo:
        await learnt(memo, *MANY, one, other)
        await talk(memo, "话题1")
        assert steps(await dreamt(memo)) == []


async def test_never_across_subjects_kinds_ends_or_slots() -> None:
    async with memory() as memo:
        now = memo.clock()
        base = await memo.add("喜欢手冲咖啡", subject=MING, origin="llm")
        others = [
            await memo.add("很喜欢手冲咖啡", subject=HONG, origin="llm"),
            await memo.add("很喜欢手冲咖啡", subject=MING, origin="llm", kind="preference"),
            await memo.add("很喜欢手冲咖啡", subject=MING, origin="llm", valid_until=now),
            await memo.add("很喜欢手冲咖啡", OTHER_GROUP, subject=MING, origin="llm"),
        ]
        assert not any(says_the_same(base, other) for other in others)


# ------------------------------------------------------------------ archive and update


def haskell(prompt: str) -> str:
    return changing(archive(label_of(prompt, "Haskell"), line_with(prompt, "haskell")))


async def test_what_the_conversation_made_obsolete_is_archived() -> None:
    model = DreamModel(review=haskell)
    async with memory(llm=model) as memo:
        await learnt(memo, *MANY, f"{M}在学 Haskell")
        await talk(memo, "haskell 那门课让人头大，太难", "哈哈哈")
        run = await dreamt(memo)
        assert steps(run)[-1:] == [("archive", "applied", "不再成立")]
        (gone,) = await memo.items(status="archived")
        assert gone.content == f"{M}在学 Haskell"
        assert [event.actor for event in await memo.events(gone)][-1] == "dream"
        # Only what the conversation touches was shown, under labels.
        (prompt,) = model.prompts("review")
        assert list(labels(prompt).values()) == ["小明（u1）在学 Haskell"]
        assert gone.id not in prompt


async def test_an_update_becomes_a_new_item_and_the_old_one_its_past() -> None:
    def review(prompt: str) -> str:
        return changing(update(label_of(prompt, "吉他"), "u1 在学吉他，每周三上课", line_with(prompt, "周三")))

    async with memory(llm=DreamModel(review=review)) as memo:
        await learnt(memo, *MANY, f"{M}在学吉他")
        await talk(memo, "我的吉他课改到每周三了", "好的")
        run = await dreamt(memo)
        assert [(a, s) for a, s, _ in steps(run)] == [("update", "applied"), ("add", "applied")]
        (new,) = [item for item in await memo.items() if "吉他" in item.content]
        assert (new.content, new.origin, new.subject) == (f"{M}在学吉他，每周三上课", "dream", MING)
        (old,) = await memo.items(status="superseded")
        assert old.successor == new.id
        assert [e.turn for e in await memo.evidence(new)] == [1]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda p: archive(label_of(p, "Haskell"), "t1", reason=""), "no_reason"),
        (lambda p: archive(label_of(p, "Haskell")), "no_evidence"),
        (lambda p: archive(label_of(p, "Haskell"), "t99"), "no_evidence"),
        (lambda p: archive(label_of(p, "Haskell"), "t2"), "not_their_words"),
        (lambda p: archive(label_of(p, "Haskell"), "t3"), "unrelated"),
        (lambda _: archive("m99", "t1"), "not_shown"),
        (lambda p: update(label_of(p, "Haskell"), "", "t1"), "no_content"),
        (lambda p: update(label_of(p, "Haskell"), "u1 写了 37 年 Haskell", "t1"), "invented_number"),
        (lambda p: update(label_of(p, "Haskell"), "u9 在学 Haskell", "t1"), "unknown_placeholder"),
        (lambda p: update(label_of(p, "Haskell"), "u1 喜欢下雨", "t1"), "unrelated"),
        (lambda _: {"action": "delete", "item": "m1"}, "malformed"),
        (lambda _: "delete everything", "malformed"),
    ],
)
async def test_a_change_without_ground_is_refused_and_recorded(change, problem: str) -> None:
    async with memory(llm=DreamModel(review=lambda prompt: changing(change(prompt)))) as memo:
        await learnt(memo, *MANY, f"{M}在学 Haskell")
        before = await memo.items(status=None)
        await talk(memo, "haskell 好难", "haskell 别学了", "今天下雨")
        run = await dreamt(memo)
        assert await memo.items(status=None) == before
        (operation,) = run.operations
        assert (operation.state, operation.reason) == ("rejected", problem)


@pytest.mark.parametrize("answer", ["", "好的", "{}", '{"changes": "all"}', "[" * 5000, "{" * 5000])
async def test_garbage_changes_nothing_and_is_recorded(answer: str) -> None:
    model = DreamModel(review=lambda _: answer)
    async with memory(llm=model) as memo:
        await learnt(memo, *MANY, f"{M}在学 Haskell")
        await talk(memo, "haskell 好难")
        before = await memo.items(status=None)
        assert steps(await dreamt(memo)) == [("archive", "rejected", "unusable_answer")]
        assert await memo.items(status=None) == before
        assert len(model.prompts("review")) == 2
        assert (await memo.session()).dreamed == 1


async def test_an_answer_that_would_archive_everything_changes_nothing() -> None:
    def everything(prompt: str) -> str:
        return changing(*(archive(label, line_with(prompt, "邮票")) for label in labels(prompt)))

    async with memory(llm=DreamModel(review=everything)) as memo:
        await learnt(memo, *MANY)
        before = await memo.items(status=None)
        await talk(memo, "我的邮票都卖了")
        run = await dreamt(memo)
        assert {step[1:] for step in steps(run)} == {("rejected", "archives_everything")}
        assert await memo.items(status=None) == before


async def test_evidence_that_was_taken_back_during_the_call_no_longer_counts() -> None:
    running: list[Memory] = []

    async def taken_back(prompt: str) -> str:
        async with running[0].write() as tx:
            await tx.mark_recalled(GROUP, 1)
        return haskell(prompt)

    async with memory(llm=DreamModel(review=taken_back)) as memo:
        running.append(memo)
        await learnt(memo, *MANY, f"{M}在学 Haskell")
        await talk(memo, "haskell 让人头大")
        assert steps(await dreamt(memo)) == [("archive", "skipped", "evidence_gone")]
        assert await memo.items(status="archived") == []


# ------------------------------------------------------------------ people's own


async def test_what_people_wrote_asked_for_or_edited_is_left_alone() -> None:
    def all_haskell(prompt: str) -> str:
        shown = [label for label, content in labels(prompt).items() if "askell" in content]
        return changing(*(archive(label, line_with(prompt, "haskell 不")) for label in shown))

    async with memory(llm=DreamModel(review=all_haskell)) as memo:
        await learnt(memo, *MANY)
        await memo.remember("我在学 Haskell")
        await memo.speak("记住我每天写 Haskell")
        edited = await memo.add(f"{M}喜欢 Haskell", subject=MING, origin="llm")
        await memo.engine.update_item(edited.id, scopes=[chat(GROUP)], importance=0.9, actor=MING)
        await memo.add(f"{M}会 Haskell", subject=MING, origin="llm", tier="dao_tian")
        memo.clock.move(hours=1)
        await dreamt(memo)
        before = {item.id for item in await memo.items()}
        await talk(memo, "haskell 不学了 都不要了")
        run = await dreamt(memo)
        assert {item.id for item in await memo.items()} >= before
        assert {(o.state, o.reason) for o in run.operations if o.action == "archive"} == {
            ("skipped", "asked_for"),
            ("skipped", "edited"),
        }


async def test_a_near_duplicate_that_a_person_wrote_stays() -> None:
    async with memory() as memo:
        await learnt(memo, *MANY, f"{M}喜欢手冲咖啡")
        own = await memo.remember("我很喜欢手冲咖啡", kind="fact")
        assert own.item is not None
        await talk(memo, "话题1")
        await dreamt(memo)
        assert [i.id for i in await memo.items() if "咖啡" in i.content] == [own.item.id]


# ------------------------------------------------------------------ how much


async def test_at_most_a_fifth_of_a_scope_and_the_rest_waits() -> None:
    async with memory() as memo:
        await learnt(memo, *MANY[:10])
        await learnt(memo, *(f"{M}喜欢{x}茶" for x in "红绿白黑花"), *(f"{M}很喜欢{x}茶" for x in "红绿白黑花"))
        await talk(memo, "话题1")
        run = await dreamt(memo)
        assert [step[:2] for step in steps(run)] == [("merge", "applied")] * 4 + [("merge", "waiting")]
        assert len(await memo.items()) == 16
        # What waits is not put down again, unless there is room for it now.
        await talk(memo, "话题2")
        assert [step[:2] for step in steps(await dreamt(memo))] == [("merge", "applied")]


async def test_a_small_scope_keeps_what_it_has() -> None:
    async with memory() as memo:
        await learnt(memo, f"{M}喜欢手冲咖啡", f"{M}很喜欢手冲咖啡", *MANY[:8])
        await talk(memo, "话题1")
        assert [step[:2] for step in steps(await dreamt(memo))] == [("merge", "waiting")]
        assert len(await memo.items()) == 10
        await talk(memo, "话题2")
        assert steps(await dreamt(memo)) == []


async def test_in_a_preview_everything_waits() -> None:
    async with memory(llm=DreamModel(review=haskell), dream=DreamSettings(preview=True)) as memo:
        await learnt(memo, *MANY, f"{M}在学 Haskell", f"{M}喜欢红茶", f"{M}很喜欢红茶")
        await learnt(memo, f"{M}在感冒", valid_until=memo.clock() + timedelta(minutes=1))
        before = await memo.items(status=None)
        await talk(memo, "haskell 让人头大")
        assert [step[:2] for step in steps(await dreamt(memo))] == [
            ("merge", "waiting"),
            ("archive", "waiting"),
            ("expire", "waiting"),
        ]
        assert await memo.items(status=None) == before


# ------------------------------------------------------------------ the rest of a dream


async def test_tasks_and_passing_states_expire() -> None:
    async with memory() as memo:
        soon = memo.clock() + timedelta(minutes=5)
        await learnt(memo, f"{M}要交报告", kind="task", valid_until=soon)
        await learnt(memo, f"{M}在感冒", valid_until=soon)
        own = await memo.add(f"{M}要交水费", kind="task", origin="command", valid_until=soon)
        await talk(memo, "话题1")
        assert steps(await dreamt(memo)) == [("expire", "applied", "ended")] * 2
        assert await memo.items() == [own]
        assert await memo.engine.expire_items() == 1
        assert await memo.items() == []
        assert await memo.engine.expire_items() == 0


async def test_a_dream_extracts_what_is_left_and_supersedes_by_key() -> None:
    model = DreamModel(extract=lambda _: said(found("u1 主要写 Rust", "t1", key="language")))
    async with memory(llm=model) as memo:
        await learnt(memo, f"{M}主要写 Python", key="language")
        await talk(memo, "最近都在写 Rust", "哦")
        run = await dreamt(memo)
        assert [(step[0], step[1]) for step in steps(run)] == [("supersede", "applied"), ("add", "applied")]
        assert (run.turns, (await memo.session()).watermark, (await memo.session()).dreamed) == (2, 2, 2)
        assert await memo.contents() == [f"{M}主要写 Rust"]


async def test_shared_scopes_are_only_proposed_to() -> None:
    legacy = "milky:10001"
    async with memory(shared_writes="auto") as memo:
        for content in (*MANY, f"{M}喜欢手冲咖啡", f"{M}很喜欢手冲咖啡"):
            await memo.add(content, GLOBAL_SCOPE, origin="llm")
        before = await memo.items(GLOBAL_SCOPE, status=None)
        await memo.speak("话题1", session=legacy)
        run = await dreamt(memo, legacy)
        assert [step[:2] for step in steps(run)] == [("merge", "waiting")]
        assert await memo.items(GLOBAL_SCOPE, status=None) == before
        # A chat's dream does not even look at them.
        await memo.speak("话题1")
        assert steps(await dreamt(memo)) == []
