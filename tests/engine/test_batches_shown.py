"""What a batch shows the model, and that its answer changes nothing it should not."""

from __future__ import annotations

import json

from nonebot_plugin_scoped_memory.engine.extract.prompts import own_instructions
from nonebot_plugin_scoped_memory.engine.models import TurnState
from nonebot_plugin_scoped_memory.engine.scope import GLOBAL_SCOPE

from .helpers import BOT, GROUP, OTHER_GROUP, PRIVATE, FakeChat, chat, found, memory, said
from .small_talk import chatter, echo, shown


async def test_what_rules_and_people_stored_is_listed_as_known() -> None:
    model = FakeChat()
    async with memory(llm=model) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("我喜欢冷萃", session=PRIVATE)
        await memo.extract()
        known = model.prompts[0].split("<已知记忆>")[1].split("</已知记忆>")[0]
        assert known.split() == ["-", "小明（u1）喜欢手冲咖啡"]


async def test_what_is_not_evidence_is_not_shown() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model) as memo:
        await chatter(memo, 1)
        await memo.speak("/memory add 我喜欢冷萃", state=TurnState.COMMAND)
        await memo.speak("撤回了", message_ids=(("30001", "m1"),))
        await memo.engine.listener.take_back("default", GROUP, "30001", "m1")
        await memo.extract()
        assert shown(model.prompts[0]) == ["话题1"]


async def test_a_bot_that_is_mentioned_is_known_as_one() -> None:
    model = FakeChat(said(found("u2 喜欢手冲", "t2", subject="u2")))
    async with memory(llm=model, extract_every_turns=2) as memo:
        for text in ("话题1", "@小忆 你喜欢手冲吗"):
            turn = await memo.speak(text, state=TurnState.OPEN, mentions=((BOT, "小忆"),))
            await memo.engine.listener.settle("default", GROUP, turn.n, TurnState.ORDINARY, bots=frozenset({BOT}))
        await memo.engine.drain()
        assert "@小忆(bot)" in model.prompts[0]
        assert await memo.items() == []


async def test_an_answer_of_rubbish_deletes_nothing() -> None:
    archive_all = json.dumps({"items": [{"kind": "fact", "content": "x", "action": "archive", "evidence": ["t1"]}]})
    async with memory(llm=FakeChat(archive_all, "[]", "{}", "null")) as memo:
        await memo.speak("我喜欢手冲咖啡")
        await chatter(memo, 3, 2)
        await memo.extract()
        assert (await memo.contents())[0] == "小明（10001）喜欢手冲咖啡"


async def test_nothing_of_a_batch_reaches_another_chat() -> None:
    hostile = said(
        found("u1 提到话题1", audience="shared"),
        found("u1 提到话题1", kind="decision", audience="shared", subject="u9"),
        found("qq:group:20002 的话", "t999"),
    )
    async with memory(llm=FakeChat(hostile)) as memo:
        await chatter(memo, 2)
        await memo.extract()
        for where in (GLOBAL_SCOPE, chat(OTHER_GROUP), chat(PRIVATE)):
            assert await memo.items(where, status=None) == []


async def test_the_operators_own_instructions_are_sent_and_remembered() -> None:
    model = FakeChat(reply=echo)
    async with memory(llm=model, instructions=own_instructions("你来记事。")) as memo:
        await chatter(memo, 1)
        await memo.extract()
        assert model.instructions == ["你来记事。"]
        (item,) = await memo.items()
        assert item.prompt_version == own_instructions("你来记事。").version
