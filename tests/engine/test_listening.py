"""From a chat's messages to memory: record, settle, remember on request."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine import listening
from nonebot_plugin_scoped_memory.engine.errors import InvalidAddressError, InvalidItemError
from nonebot_plugin_scoped_memory.engine.models import Quote, TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE

from .helpers import (
    BOT,
    GANG,
    GROUP,
    HONG,
    MING,
    PRIVATE,
    BigramEmbedder,
    FakeChat,
    Memory,
    found,
    memory,
    said,
)


async def settle(memo: Memory, n: int, state: TurnState = TurnState.ORDINARY) -> list[Any]:
    return await memo.engine.listener.settle("default", GROUP, n, state)


# ------------------------------------------------------------------ record


async def test_secrets_are_hidden_before_a_turn_is_stored() -> None:
    async with memory() as memo:
        await memo.speak("密码是 hunter2024", quotes=(Quote(HONG, "小红", "token: abcd1234efgh5678"),))
        (turn,) = await memo.turns()
        assert turn.text == "密码是 [已隐去:密码]"
        assert "abcd1234" not in turn.quotes[0].text
        assert await memo.engine.search_turns("hunter2024", session_id=GROUP) == []


@pytest.mark.parametrize("broken", ["\ud83d", "a\x00b", "x\udc00"])
async def test_half_characters_and_control_characters_are_stored_as_replaced(broken: str) -> None:
    async with memory() as memo:
        mentions = ((HONG, broken),)
        await memo.speak(f"手冲{broken}", name=f"小{broken}", quotes=(Quote(HONG, broken, broken),), mentions=mentions)
        (turn,) = await memo.turns()
        whole = "".join((turn.text, turn.name, turn.quotes[0].name, turn.quotes[0].text, turn.mentions[0][1]))
        assert whole.encode()
        assert "\x00" not in whole
        assert "\ufffd" in turn.text
        assert turn.text.startswith("手冲")


async def test_a_turn_counts_only_when_it_is_settled() -> None:
    async with memory() as memo:
        turn = await memo.speak("我喜欢手冲咖啡", state=TurnState.OPEN)
        assert await memo.items() == []
        (outcome,) = await settle(memo, turn.n)
        assert outcome.status == "applied"


@pytest.mark.parametrize("state", [TurnState.COMMAND, TurnState.UNPROCESSABLE, TurnState.OPEN])
async def test_what_is_no_ordinary_turn_is_learnt_from_by_nobody(state: TurnState) -> None:
    async with memory() as memo:
        turn = await memo.speak("记住我喜欢手冲咖啡", state=TurnState.OPEN)
        assert await settle(memo, turn.n, state) == []
        assert await memo.items() == []


async def test_settling_twice_makes_no_second_item_or_evidence() -> None:
    async with memory() as memo:
        turn = await memo.speak("我喜欢手冲咖啡")
        await settle(memo, turn.n)
        (item,) = await memo.items()
        assert len(await memo.evidence(item)) == 1


async def test_an_unknown_turn_settles_to_nothing() -> None:
    async with memory() as memo:
        assert await settle(memo, 99) == []
        assert await memo.engine.listener.settle("default", PRIVATE, 1, TurnState.ORDINARY) == []


@pytest.mark.parametrize("session", ["milky:private", "", "x"])
async def test_no_address_no_record(session: str) -> None:
    async with memory() as memo:
        with pytest.raises(InvalidAddressError):
            await memo.speak("你好", session=session)
        assert (await memo.engine.maintenance.counts())["turns"] == 0


async def test_a_thousand_messages_of_twenty_chats_are_all_there_in_order() -> None:
    async with memory() as memo:
        numbers = [(n, f"qq:group:{n % 20 + 1}") for n in range(1000)]
        await asyncio.gather(*(memo.speak(f"第 {n} 句", session=s, state=TurnState.OPEN) for n, s in numbers))
        for chat_number in range(20):
            session = f"qq:group:{chat_number + 1}"
            texts = [turn.text for turn in await memo.turns(session)]
            assert texts == [f"第 {n} 句" for n, s in numbers if s == session]


# ------------------------------------------------------------------ who said it


async def test_three_speakers_make_three_subjects() -> None:
    async with memory() as memo:
        for account, thing in ((MING, "手冲咖啡"), (HONG, "爬山"), (GANG, "原神")):
            await memo.speak(f"我喜欢{thing}", account)
        assert [item.subject for item in await memo.items()] == [MING, HONG, GANG]
        assert all("用户" not in content for content in await memo.contents())


async def test_what_the_bot_says_is_nobodys_fact() -> None:
    async with memory() as memo:
        await memo.speak("我怕辣", BOT)
        await memo.speak("哈哈", quotes=(Quote(BOT, "小忆", "我没有对象"),))
        assert await memo.items() == []


async def test_anonymous_members_are_nobody_in_particular() -> None:
    async with memory(llm=FakeChat(said(found("有人喜欢手冲", subject=None)))) as memo:
        for _ in range(2):
            await memo.speak("我喜欢手冲咖啡", "", name="匿名")
        await memo.extract()
        assert await memo.items() == []


async def test_a_request_to_another_member_is_theirs_to_remember() -> None:
    async with memory() as memo:
        for bots, kept in ((frozenset({BOT}), 0), (None, 1)):
            turn = await memo.speak("@小红 记住明天带伞", state=TurnState.OPEN, mentions=((HONG, "小红"),))
            await memo.engine.listener.settle("default", GROUP, turn.n, TurnState.ORDINARY, bots=bots)
            assert len(await memo.items()) == kept


async def test_what_another_bot_says_as_a_member_is_nobodys_fact() -> None:
    async with memory() as memo:
        turn = await memo.speak("我喜欢手冲咖啡", BOT, role="user", state=TurnState.OPEN)
        await memo.engine.listener.settle("default", GROUP, turn.n, TurnState.ORDINARY, bots=frozenset({BOT}))
        assert await memo.items() == []


# ------------------------------------------------------------------ remember


async def test_a_sentence_is_remembered_as_its_words_say() -> None:
    async with memory() as memo:
        outcome = await memo.remember("我喜欢手冲咖啡", session=PRIVATE)
        assert outcome.item is not None
        item = outcome.item
        assert (item.kind, item.content) == ("preference", "小明（10001）喜欢手冲咖啡")
        assert (item.subject, item.owner) == (MING, MING)
        assert (item.origin, await memo.evidence(item)) == ("command", [])
        assert (await memo.events(item))[0].actor == MING


async def test_a_kind_that_is_given_is_kept() -> None:
    async with memory() as memo:
        outcome = await memo.remember("我喜欢手冲咖啡", kind="task")
        assert outcome.item is not None
        assert outcome.item.kind == "task"


@pytest.mark.parametrize("content", ["", " \u3000\n", "长" * 1001])
async def test_nothing_and_too_much_are_no_sentence(content: str) -> None:
    async with memory() as memo:
        with pytest.raises(InvalidItemError) as error:
            await memo.remember(content)
        assert error.value.field == "content"


@pytest.mark.parametrize(
    ("content", "reason"),
    [("网盘密码是 hunter2024", "secret"), ("小红的电话是 13812345678", "private_contact")],
)
async def test_what_must_not_be_remembered_is_refused_with_its_reason(content: str, reason: str) -> None:
    async with memory() as memo:
        outcome = await memo.remember(content)
        assert (outcome.status, outcome.reason, outcome.item) == ("rejected", reason, None)
        assert await memo.items(status=None) == []


# ------------------------------------------------------------------ what follows


async def test_what_is_written_is_embedded_and_what_is_past_is_not() -> None:
    model = BigramEmbedder()
    async with memory(embedder=model) as memo:
        await memo.speak("我主要写 Rust")
        await memo.speak("我主要写 Python", said_at=memo.clock().replace(year=2020))
        await memo.engine.drain()
        assert (await memo.engine.maintenance.counts())["vectors"] == 1


async def test_the_log_names_the_session_and_the_reason_and_not_the_text(caplog: pytest.LogCaptureFixture) -> None:
    async with memory() as memo:
        with caplog.at_level(logging.INFO):
            await memo.remember("网盘密码是 hunter2024")
        (line,) = [r.getMessage() for r in caplog.records if "没有通过" in r.getMessage()]
        assert line == "default/qq:group:20001：一条候选记忆没有通过：secret"


async def test_a_new_conversation_extracts_what_is_pending_first() -> None:
    model = FakeChat(said(found("u1 在学小提琴")))
    async with memory(llm=model) as memo:
        await memo.speak("小提琴课真难")
        report = await memo.engine.listener.start_conversation("default", GROUP)
        assert (report.turns, report.waiting) == (1, "")
        assert await memo.contents() == ["小明（10001）在学小提琴"]
        session = await memo.session()
        assert (session.watermark, session.history_start) == (1, 1)


async def test_memories_are_not_learnt_again_from_the_prompt_over_ten_rounds() -> None:
    """The bot says what it remembers, the user agrees: nothing new comes of it."""
    model = FakeChat(reply=lambda prompt: said() if "已知" in prompt else said(found("x")))
    async with memory(llm=model) as memo:
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE)
        (item,) = await memo.items(PRIVATE)
        for _ in range(10):
            await memo.speak(item.content, BOT, PRIVATE)
            await memo.speak("对", session=PRIVATE)
        await memo.extract(PRIVATE)
        assert await memo.items(PRIVATE, status=None) == [item]
        assert await memo.items(GLOBAL_SCOPE) == []


async def test_what_turns_out_to_be_a_command_takes_along_what_was_learnt() -> None:
    """In one group, another bot's handlers may end later, with a command."""
    async with memory() as memo:
        turn = await memo.speak("我喜欢手冲咖啡")
        await memo.speak("我对花生过敏")
        twice = await memo.speak("我养了一只猫")
        await memo.speak("我养了一只猫")
        assert len(await memo.items()) == 3
        for n in (turn.n, twice.n):
            assert await settle(memo, n, TurnState.COMMAND) == []
        assert sorted(await memo.contents()) == ["小明（10001）养了一只猫", "小明（10001）对花生过敏"]
        assert [item.content for item in await memo.items(status="retracted")] == ["小明（10001）喜欢手冲咖啡"]


async def test_while_the_memory_is_off_nothing_is_learnt_of_what_came_before() -> None:
    async with memory() as memo:
        turn = await memo.speak("记住我喜欢手冲咖啡", state=TurnState.OPEN)
        await memo.speak("我养了一只猫", state=TurnState.OPEN)
        await memo.engine.set_chat_setting(GROUP, "memory", "off", by=MING)
        assert await settle(memo, turn.n) == []
        memo.clock.move(minutes=11)
        assert await memo.engine.listener.adopt_left_open() == 1
        assert await memo.items() == []


async def test_a_session_that_cannot_be_adopted_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = listening.settle_turns

    async def failing(tx: Any, session_key: str, *args: Any, **options: Any) -> Any:
        if session_key == GROUP:
            raise RuntimeError("broken row")
        return await plain(tx, session_key, *args, **options)

    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", state=TurnState.OPEN)
        await memo.speak("我喜欢手冲咖啡", session=PRIVATE, state=TurnState.OPEN)
        memo.clock.move(minutes=11)
        monkeypatch.setattr(listening, "settle_turns", failing)
        await memo.engine.listener.adopt_left_open()
        assert await memo.contents() == []
        assert await memo.contents(PRIVATE) == ["小明（10001）喜欢手冲咖啡"]
