"""忘了吧, 别记这个 and 你记错了: what people say about the memory takes effect, on what is theirs and nothing else."""

from __future__ import annotations

import pytest

from nonebot_plugin_scoped_memory.engine.models import Turn, TurnState
from nonebot_plugin_scoped_memory.engine.scope import home_scope

from .helpers import BOT, GROUP, HONG, OTHER_GROUP, PRIVATE, FakeChat, Memory, found, memory, said


async def answered(memo: Memory, question: str, answer: str, session: str = GROUP) -> Turn:
    """The bot answers a question of 小明's with what it recalls."""
    asked = await memo.speak(question, session=session)
    package = await memo.engine.compose_context(session, question, current=asked, speaker=asked.account)
    recalled = tuple((one.item.id, one.score) for one in package.evidence)
    return await memo.speak(answer, BOT, session=session, recalled=recalled)


async def reasons(memo: Memory) -> list[str]:
    view = memo.engine.store.view("default", (home_scope(GROUP),))
    retracted = await memo.items(status="retracted")
    return [event.reason for item in retracted for event in await view.events(item.id) if event.action == "retracted"]


# --- taken back by whoever said it


async def test_what_was_just_said_is_forgotten() -> None:
    async with memory() as memo:
        await memo.speak("我对花生过敏")
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("忘了吧，别记这个")
        assert await memo.contents() == ["小明（10001）对花生过敏"]
        assert await reasons(memo) == ["withdrawn"]
        assert [turn.suppressed for turn in await memo.turns()] == [False, True, True]


async def test_it_is_not_learnt_again_by_the_model() -> None:
    model = FakeChat(said(found("u1 喜欢手冲咖啡")))
    async with memory(llm=model) as memo:
        await memo.speak("手冲咖啡最好喝")
        await memo.speak("刚才那句当我没说")
        await memo.speak("今天天气不错")
        await memo.extract()
        assert all("手冲" not in prompt for prompt in model.prompts)
        assert await memo.contents() == []


async def test_while_the_model_reads_it() -> None:
    async with memory(llm=FakeChat()) as memo:
        turn = await memo.speak("我周末跑去听吉他了")
        await memo.speak("刚才说的别记")
        assert not (await memo.turns())[turn.n - 1].stands


async def test_several_messages() -> None:
    async with memory() as memo:
        for text in ("我住在杭州", "我养了一只猫", "我喜欢手冲咖啡"):
            await memo.speak(text)
        await memo.speak("刚才那两句别记")
        assert await memo.contents() == ["小明（10001）住在杭州"]


async def test_the_message_itself() -> None:
    async with memory() as memo:
        turn = await memo.speak("我喜欢手冲咖啡，当我没说")
        assert await memo.contents() == []
        assert not (await memo.turns())[turn.n - 1].stands


async def test_what_is_named() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("我喜欢爬山")
        await memo.speak("把我喜欢手冲咖啡这件事忘了")
        assert await memo.contents() == ["小明（10001）喜欢爬山"]


async def test_a_name_that_fits_nothing_or_too_much_takes_nothing_back() -> None:
    async with memory() as memo:
        for drink in ("手冲咖啡", "冰咖啡", "热咖啡", "黑咖啡"):
            await memo.speak(f"我喜欢{drink}")
        await memo.speak("忘掉我喜欢咖啡")
        await memo.speak("忘掉我喜欢滑雪")
        assert len(await memo.contents()) == 4


@pytest.mark.parametrize("words", ["忘了吧", "把我喜欢手冲咖啡这件事忘了", "当我没说"])
async def test_nobody_takes_back_what_another_said(words: str) -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", HONG)
        await memo.speak(words)
        assert await memo.contents() == ["小红（10002）喜欢手冲咖啡"]
        assert (await memo.turns())[0].stands


async def test_nor_what_was_said_in_another_chat_or_long_ago() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", session=OTHER_GROUP)
        await memo.speak("我喜欢爬山")
        memo.clock.move(minutes=90)
        await memo.speak("忘了吧")
        await memo.speak("把我喜欢手冲咖啡这件事忘了")
        assert await memo.contents() == ["小明（10001）喜欢爬山"]
        assert await memo.contents(OTHER_GROUP) == ["小明（10001）喜欢手冲咖啡"]


async def test_said_again_it_is_learnt_again() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("忘了吧")
        await memo.speak("我喜欢手冲咖啡")
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]


async def test_settled_twice_it_takes_back_no_more() -> None:
    async with memory() as memo:
        await memo.speak("我对花生过敏")
        await memo.speak("我喜欢手冲咖啡")
        turn = await memo.speak("忘了吧")
        await memo.engine.listener.settle("default", GROUP, turn.n, TurnState.ORDINARY)
        assert await memo.contents() == ["小明（10001）对花生过敏"]


async def test_a_decision_that_waits_is_taken_back_too() -> None:
    async with memory() as memo:
        await memo.speak("我们决定周会改到周四")
        assert len(await memo.engine.pending_reviews()) == 1
        await memo.speak("刚才那句当我没说")
        assert await memo.engine.pending_reviews() == []
        assert await memo.contents() == []


# --- objections to an answer


@pytest.mark.parametrize(
    ("objection", "reason"),
    [("你记错了", "wrong"), ("我早就不喜欢了", "outdated"), ("我不喜欢这个啊", "disliked")],
)
async def test_an_objection_retracts_what_the_answer_rested_on(objection: str, reason: str) -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await memo.speak("我对花生过敏")
        await answered(memo, "推荐个手冲豆子", "你喜欢手冲咖啡，来一杯？")
        await memo.speak(objection)
        assert await memo.contents() == ["小明（10001）对花生过敏"]
        assert await reasons(memo) == [f"objected:{reason}"]


async def test_what_is_not_liked_but_was_no_liking_is_only_doubted() -> None:
    async with memory() as memo:
        await memo.speak("我在学手冲咖啡")
        await memo.speak("记住我在学手冲咖啡")
        (item,) = await memo.items()
        await answered(memo, "聊聊手冲咖啡", "你在学手冲咖啡嘛")
        await memo.speak("我不喜欢这个")
        (after,) = await memo.items()
        assert after.confidence == pytest.approx(item.confidence / 2)


@pytest.mark.parametrize("session", [GROUP, PRIVATE])
async def test_only_right_after_an_answer_to_the_speaker(session: str) -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", session=session)
        await memo.speak("你记错了", session=session)
        await answered(memo, "推荐个手冲豆子", "你喜欢手冲咖啡，来一杯？", session)
        await memo.speak("好的", session=session)
        await memo.speak("你记错了", session=session)
        assert await memo.contents(session) == ["小明（10001）喜欢手冲咖啡"]


async def test_an_objection_of_another_member_changes_nothing() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await answered(memo, "推荐个手冲豆子", "你喜欢手冲咖啡，来一杯？")
        await memo.speak("你记错了", HONG)
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]


async def test_what_was_recalled_but_not_used_stays() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡")
        await answered(memo, "手冲咖啡怎么泡", "先烧水")
        await memo.speak("你记错了")
        assert await memo.contents() == ["小明（10001）喜欢手冲咖啡"]


async def test_what_is_said_of_others_is_not_the_speakers_to_retract() -> None:
    async with memory() as memo:
        await memo.speak("我喜欢手冲咖啡", HONG)
        await answered(memo, "小红喜欢什么", "小红喜欢手冲咖啡")
        await memo.speak("你记错了")
        assert await memo.contents() == ["小红（10002）喜欢手冲咖啡"]
