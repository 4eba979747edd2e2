"""What a question finds: above the floor, about oneself, by words and by vectors, and that none raises."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError

from .filling import MODES, embedder, fill
from .helpers import GANG, GROUP, HONG, MING, OTHER_GROUP, PRIVATE, BigramEmbedder, HandClock, memory

# ------------------------------------------------------------------ the floor


@pytest.mark.parametrize(
    ("question", "unrelated"),
    [
        ("她喜欢养猫", "用户喜欢蓝色"),
        ("你好", "小明（10001）的猫叫豆豆"),
        ("在吗", "小明（10001）住在杭州"),
    ],
)
async def test_what_has_no_topic_in_common_is_not_recalled(question: str, unrelated: str) -> None:
    async with memory() as memo:
        await fill(memo, unrelated)
        assert await memo.recalled(question) == await memo.found(question) == []


async def test_what_is_no_nearer_than_unrelated_texts_is_not_recalled() -> None:
    async with memory(embedder=BigramEmbedder()) as memo:
        await fill(memo, "小明（10001）住在杭州", "周会改到周四")
        assert await memo.recalled("猫叫豆豆") == await memo.found("猫叫豆豆") == []


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("猫", "我的猫叫豆豆"),
        ("花名", "他的花名是风清扬"),
        ("C++", "主要写 C++"),
        ("3.5元", "早餐 3.5 元"),
        ("😀", "签名是😀"),
        ("ＲＴＸ４０９０", "显卡是 rtx4090"),
        ("4090", "显卡是 RTX4090"),
        ("貓叫什麼", "我的猫叫豆豆"),
        ("我叫啥", "小明（10001）叫王小明"),
        ("café", "常去 CAFÉ"),
    ],
)
async def test_short_mixed_and_full_width_words_are_found_without_any_provider(question: str, content: str) -> None:
    async with memory() as memo:
        await fill(memo, content, "今天群里没什么事")
        assert await memo.found(question) == [content]


async def test_c_is_not_found_by_c_plus_plus() -> None:
    async with memory() as memo:
        await fill(memo, "主要写 C")
        assert await memo.found("C++") == []


HOSTILE = [
    'a,b" * NEAR( -x:y',
    "手冲 AND NOT (OR",
    '"; DROP TABLE items; --',
    "%' OR '1'='1",
    "手冲*",
    "\x00\ud83d",
    " " * 5000,
    "猫" * 100_000,
    "🏳️‍🌈" * 50,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("question", HOSTILE)
async def test_no_question_raises(mode: str, question: str) -> None:
    async with memory(embedder=embedder(mode)) as memo:
        await fill(memo, "手冲咖啡", "a b x y", "我的猫叫豆豆")
        package = await memo.engine.compose_context(GROUP, question)
        assert len(package.evidence) <= 3
        await memo.engine.search_turns(question, session_id=GROUP)


async def test_three_thousand_different_words_are_answered() -> None:
    async with memory() as memo:
        await fill(memo, *(f"词{n:04} 的笔记" for n in range(0, 3000, 300)))
        question = " ".join(f"词{n:04}" for n in range(3000))
        assert len(await memo.recalled(question)) == 10


# ------------------------------------------------------------------ questions about oneself


@pytest.mark.parametrize("question", ["我是谁", "我喜欢什么", "你还记得我吗"])
@pytest.mark.parametrize("asker", [MING, HONG])
async def test_a_question_about_oneself_in_a_group_prefers_the_speaker(question: str, asker: str) -> None:
    async with memory() as memo:
        for account in (MING, HONG, GANG):
            await memo.speak("我喜欢手冲咖啡", account)
            await memo.speak("我喜欢爬山", account)
        shown = (await memo.engine.compose_context(GROUP, question, speaker=asker)).items
        assert {item.subject for item in shown[:2]} == {asker}


async def test_in_a_private_chat_the_speaker_is_known() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE)
        assert await memo.recalled("我是谁", PRIVATE) == ["小明（10001）喜欢手冲咖啡"]


async def test_nobody_in_particular_finds_nobody() -> None:
    async with memory() as memo:
        await memo.speak("我叫王小明")
        assert await memo.recalled("我是谁", speaker="") == []


async def test_a_question_about_oneself_finds_nothing_of_another_chats_self() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE)
        assert await memo.recalled("我喜欢什么", GROUP, speaker=MING) == []


# ------------------------------------------------------------------ vectors


async def test_vectors_find_what_shares_no_word() -> None:
    async with memory(embedder=BigramEmbedder(synonyms={"pourover": "手冲咖啡"})) as memo:
        await fill(memo, "喜欢手冲咖啡", "服务器在杭州")
        await fill(memo, "手冲咖啡豆", where=OTHER_GROUP)
        assert await memo.found("pourover") == ["喜欢手冲咖啡"]
        (one,) = (await memo.engine.compose_context(GROUP, "pourover")).evidence
        assert one.why["vector"] > 0 == one.why["lexical"]


async def test_a_provider_that_is_down_costs_words_but_no_answer() -> None:
    model = BigramEmbedder(synonyms={"pourover": "手冲咖啡"})
    clock = HandClock()
    async with memory(embedder=model, clock=clock) as memo:
        await fill(memo, "喜欢手冲咖啡")
        assert (await memo.engine.compose_context(GROUP, "pourover")).debug.warnings == ()
        model.error = ProviderDownError("embedding", "internal error")
        package = await memo.engine.compose_context(GROUP, "手冲")
        assert [item.content for item in package.items] == ["喜欢手冲咖啡"]
        assert package.debug.warnings == ("lexical_only",)
        await fill(memo, "手冲壶")
        model.error = None
        clock.move(minutes=1)
        await memo.engine.compose_context(GROUP, "手冲")  # starts the probe
        await asyncio.sleep(0)
        for _ in range(50):
            if memo.engine.embedder is not None and memo.engine.embedder.state.ok:
                break
            await asyncio.sleep(0)
        assert await memo.engine.embed_items_all_scopes() == 1
        assert (await memo.engine.compose_context(GROUP, "pourover")).debug.warnings == ()


async def test_without_a_provider_there_is_nothing_to_warn_of() -> None:
    async with memory() as memo:
        assert (await memo.engine.compose_context(GROUP, "手冲")).debug.warnings == ()


@pytest.mark.parametrize("dimensions", [2048, 512])
async def test_another_models_vectors_are_never_mixed(tmp_path: Any, dimensions: int) -> None:
    url = f"sqlite:///{(tmp_path / 'memory.db').as_posix()}"
    synonyms = {"pourover": "手冲咖啡"}
    async with memory(url, embedder=BigramEmbedder("one", synonyms=synonyms)) as memo:
        await fill(memo, "喜欢手冲咖啡")
    async with memory(url, embedder=BigramEmbedder("other", dimensions, synonyms)) as memo:
        assert await memo.found("pourover") == []
        assert await memo.found("手冲") == ["喜欢手冲咖啡"]
        assert (await memo.engine.compose_context(GROUP, "手冲")).debug.warnings == ("lexical_only",)
        assert await memo.engine.embed_items_all_scopes() == 1
        assert await memo.found("pourover") == ["喜欢手冲咖啡"]
