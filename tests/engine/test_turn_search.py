"""Search over what was said in one session."""

from __future__ import annotations

import pytest

from nonebot_plugin_scoped_memory.engine.models import TurnState

from .helpers import BOT, GROUP, HONG, MING, OTHER_GROUP, Memory, memory


async def search(memo: Memory, query: str, limit: int = 10, session: str = GROUP) -> list[str]:
    return [one.turn.text for one in await memo.engine.search_turns(query, session_id=session, limit=limit)]


async def test_turns_are_found_by_what_was_said_who_said_it_and_when() -> None:
    async with memory() as memo:
        await memo.speak("周末去爬山", MING)
        await memo.speak("好的好的", HONG, said_at=memo.clock().replace(year=2025, month=3, day=7))
        for query, first in (("爬山", "周末去爬山"), ("小红", "好的好的"), ("2025-03-07", "好的好的")):
            assert (await search(memo, query))[0] == first


async def test_an_answer_is_found_beside_its_question() -> None:
    async with memory() as memo:
        await memo.speak("服务器密钥放在哪个抽屉")
        await memo.speak("左边第二个", HONG)
        await memo.speak("吃饭去了", HONG)
        found = await memo.engine.search_turns("服务器在哪个抽屉", session_id=GROUP)
        assert [one.turn.n for one in found] == [1, 2]
        assert found[0].score > found[1].score > 0
        assert found[0].score <= 1


async def test_only_this_session_is_searched() -> None:
    async with memory() as memo:
        await memo.speak("周末去爬山", session=OTHER_GROUP)
        await memo.speak("周末去爬山", session=f"{GROUP}:cron:x")
        await memo.speak("周末去哪", domain="bot:2")
        assert await search(memo, "爬山") == await search(memo, "周末") == []


@pytest.mark.parametrize("state", [TurnState.COMMAND, TurnState.UNPROCESSABLE])
async def test_commands_are_not_found_also_not_as_neighbours(state: TurnState) -> None:
    async with memory() as memo:
        await memo.speak("/memory search 爬山", state=state)
        await memo.speak("周末去爬山")
        await memo.speak("找到 1 条", BOT, state=state)
        assert await search(memo, "爬山") == ["周末去爬山"]


async def test_recalled_and_suppressed_turns_are_not_found_also_not_as_neighbours() -> None:
    async with memory() as memo:
        await memo.speak("撤回的话", message_ids=(("30001", "m1"),))
        await memo.speak("周末去爬山")
        hidden = await memo.speak("被忘掉的话")
        await memo.engine.listener.take_back("default", GROUP, "30001", "m1")
        async with memo.write() as tx:
            await tx.mark_suppressed(GROUP, [hidden.n])
        assert await search(memo, "爬山") == await search(memo, "爬山 撤回 忘掉") == ["周末去爬山"]


async def test_the_limit_counts_what_may_be_shown() -> None:
    async with memory() as memo:
        for n in range(10):
            await memo.speak("/爬山", state=TurnState.COMMAND)
            await memo.speak(f"爬山 {n}")
        assert len(await search(memo, "爬山", 10)) == 10
        assert len(await search(memo, "爬山", 3)) == 3


@pytest.mark.parametrize("query", ["", "   ", "，。！", '"; DROP', "\x00\ud83d", 'a" * NEAR( -x:y'])
async def test_no_query_raises(query: str) -> None:
    async with memory() as memo:
        await memo.speak("周末去爬山")
        assert await search(memo, query) == []
