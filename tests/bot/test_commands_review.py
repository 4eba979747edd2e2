"""``/memory`` review, approve and reject: how what one chat decided comes to be known in every chat."""

from __future__ import annotations

import pytest

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.commands.change import EXAMPLE_ID
from nonebot_plugin_scoped_memory.bot.commands.review import REVIEW_PAGE
from tests.bot.casting import GROUP, HONG, MING, OPERATOR, contents, finds, group, ids, private, prompts
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient

DECISION = "我们决定周会改到周四下午三点"


@pytest.fixture
async def qq(bot: RunningBot) -> OneBotClient:
    return await bot.connect()


async def decide(qq: OneBotClient, words: str = DECISION) -> None:
    """Someone in a group says that something was decided."""
    await qq.ask_group(GROUP, HONG, words, card="小红", at_bot=True)


async def waiting(qq: OneBotClient) -> list[str]:
    return ids(await qq.ask_private(OPERATOR, "/memory review"))


async def test_review_shows_the_whole_text_and_no_source(qq: OneBotClient) -> None:
    assert await qq.ask_private(OPERATOR, "/memory review") == texts.REVIEW_EMPTY
    await decide(qq, "我们决定" + "周会改到周四下午三点，" * 20 + "小红记录")
    head, line, foot = (await qq.ask_private(OPERATOR, "/memory review")).split("\n")
    assert head == texts.REVIEW_HEAD.format(total=1, page=1, pages=1)
    assert foot == texts.REVIEW_FOOT
    assert line.count("周会改到周四下午三点") == 20
    assert "小红记录" in line
    assert str(GROUP) not in line
    assert str(HONG) not in line


async def test_review_has_pages_oldest_first(qq: OneBotClient, bot: RunningBot) -> None:
    for n in range(REVIEW_PAGE + 1):
        await decide(qq, f"我们决定第{n}号方案通过")
    first = await qq.ask_private(OPERATOR, "/memory review")
    second = await qq.ask_private(OPERATOR, "/memory review 2")
    assert first.startswith(texts.REVIEW_HEAD.format(total=REVIEW_PAGE + 1, page=1, pages=2))
    shown = ids(first) + ids(second)
    assert shown == [candidate.id for candidate in await bot.engine.pending_reviews(limit=100)]
    assert "第0号" in first
    assert f"第{REVIEW_PAGE}号" in second
    for page in ("3", "0"):
        assert await qq.ask_private(OPERATOR, f"/memory review {page}") == texts.PAGE_MISSING.format(pages=2)
    assert await qq.ask_private(OPERATOR, "/memory review x") == texts.PAGE_INVALID.format(command="review")


async def test_approval_makes_it_known_elsewhere_without_source_number_or_quote(
    qq: OneBotClient, bot: RunningBot
) -> None:
    await decide(qq)
    await qq.ask_private(MING, "周会是什么时候？")
    assert "周四" not in prompts(bot)[-1].text
    (id,) = await waiting(qq)
    shown = (await qq.ask_private(OPERATOR, "/memory review")).split("\n")[1]
    answer = await qq.ask_private(OPERATOR, f"/memory approve [{id.upper()}]")
    (content,) = await contents(bot, None)
    assert answer == texts.APPROVE_DONE.format(content=content)
    assert shown.endswith(f"：{content}")

    listed = await qq.ask_private(MING, "/memory list")
    await qq.ask_private(MING, "周会是什么时候？")
    prompt = prompts(bot)[-1].text
    for seen in (listed, prompt):
        assert content in seen
        for trace in (str(GROUP), str(HONG), "小红", "我们决定周会"):
            assert trace not in seen
    assert await waiting(qq) == []


async def test_approving_what_is_known_already_says_so(qq: OneBotClient, bot: RunningBot) -> None:
    await decide(qq)
    (id,) = await waiting(qq)
    await qq.ask_private(OPERATOR, f"/memory add {DECISION}")
    (content,) = await contents(bot, None)
    assert await qq.ask_private(OPERATOR, f"/memory approve {id}") == texts.APPROVE_KNOWN.format(content=content)
    assert len(await contents(bot, None)) == 1


async def test_what_was_rejected_is_not_proposed_again(qq: OneBotClient, bot: RunningBot) -> None:
    bot.llm.extraction = finds("周会", "决定：周会改到周四下午三点", "decision")
    await decide(qq)
    (id,) = await waiting(qq)
    answer = await qq.ask_private(OPERATOR, f"/memory reject {id.upper()}\u3000还没有定\n下来")
    assert answer.startswith(texts.REJECT_DONE.format(content="")[:4])
    assert "周四" in answer
    # Said again, added again, found again by the model.
    await decide(qq)
    await decide(qq, "周会的事大家都知道了吧")
    again = await qq.ask_group(GROUP, HONG, f"/memory add {DECISION}", card="小红")
    assert texts.ADD_WAITING.format(id="")[:6] not in again
    await qq.ask_group(GROUP, HONG, "/memory new", role="admin")
    assert await waiting(qq) == []
    assert await contents(bot, None) == []
    # Its own chat keeps it.
    assert any("周四" in content for content in await contents(bot, group()))


async def test_ids_that_wait_for_nothing(qq: OneBotClient, bot: RunningBot) -> None:
    await decide(qq)
    (id,) = await waiting(qq)
    (item,) = await bot.items(group())
    await qq.ask_private(OPERATOR, f"/memory approve {id}")
    for verb in ("approve", "reject"):
        for wrong in (id, item.id, "zzzzzz", "编号"):
            answer = await qq.ask_private(OPERATOR, f"/memory {verb} {wrong}")
            assert answer == texts.CANDIDATE_NOT_FOUND.format(id=wrong)
    for words in ("", "a b"):
        usage = texts.APPROVE_USAGE.format(example=EXAMPLE_ID)
        assert await qq.ask_private(OPERATOR, f"/memory approve {words}") == usage
    assert await qq.ask_private(OPERATOR, "/memory reject") == texts.REJECT_USAGE.format(example=EXAMPLE_ID)


async def test_in_a_group_operators_are_answered_privately(qq: OneBotClient, bot: RunningBot) -> None:
    await decide(qq)
    for command in ("review", "review x", "review 9", "approve", "reject", "approve zzzzzz", "reject zzzzzz"):
        since = qq.mark()
        assert await qq.ask_group(GROUP, OPERATOR, f"/memory {command}") == texts.SENT_PRIVATELY, command
        (answer,) = await qq.wait_sent(1, user_id=OPERATOR, since=since)
        assert answer.group_id is None
        assert len(qq.sent) == since + 2
    (id,) = await waiting(qq)
    assert await qq.ask_group(GROUP, OPERATOR, f"/memory approve {id}") == texts.SENT_PRIVATELY
    (content,) = await contents(bot, None)
    assert (await qq.wait_sent(1, user_id=OPERATOR, contains=content))[0].text == texts.APPROVE_DONE.format(
        content=content
    )


async def test_a_private_answer_that_cannot_be_sent_is_told_in_the_group(qq: OneBotClient) -> None:
    await decide(qq)
    qq.fail["send_private_msg"] = 100
    answer = await qq.ask_group(GROUP, OPERATOR, "/memory review")
    assert answer == texts.SEND_PRIVATELY_FAILED
    assert not [sent for sent in qq.sent if "周四" in sent.text]


async def test_what_was_approved_and_then_forgotten_is_known_nowhere(qq: OneBotClient, bot: RunningBot) -> None:
    await decide(qq)
    (id,) = await waiting(qq)
    await qq.ask_private(OPERATOR, f"/memory approve {id}")
    (shared,) = ids(await qq.ask_private(MING, "/memory list"))
    await qq.ask_private(OPERATOR, f"/memory forget {shared}")
    assert await qq.ask_private(MING, "/memory list") == texts.LIST_EMPTY
    assert await contents(bot, private(MING)) == []
