"""What was so and is no more, in whose chat and of whom it is said."""

from __future__ import annotations

from .helpers import BOSS, BOT, GROUP, HONG, OTHER_GROUP, Memory, memory


async def past(memo: Memory, status: str) -> list[str]:
    return [item.content for item in await memo.items(status=status)]  # pyright: ignore[reportArgumentType]


async def test_a_slip_is_put_right() -> None:
    async with memory() as memo:
        await memo.speak("我7月9号生日")
        await memo.speak("不是7月9号，是7月19号，我手滑")
        assert await memo.contents() == ["小明（10001）的生日是7月19号"]
        (old,) = await memo.items(status="superseded")
        (new,) = await memo.items()
        assert (old.successor, old.valid_to) == (new.id, new.valid_from)


async def test_what_has_no_slot_is_put_right_too() -> None:
    async with memory() as memo:
        await memo.speak("记住我对花生过敏")
        await memo.speak("说错了，不是花生，是腰果")
        assert await memo.contents() == ["小明（10001）对腰果过敏"]
        assert await past(memo, "superseded") == ["小明（10001）对花生过敏"]


async def test_much_later_a_contrast_is_only_put_right_where_it_is_called_a_slip() -> None:
    async with memory() as memo:
        await memo.speak("我住在杭州")
        memo.clock.move(days=2)
        await memo.speak("不是杭州，是苏州")
        assert await memo.contents() == ["小明（10001）住在杭州"]
        await memo.speak("打错了，不是杭州，是苏州")
        assert await memo.contents() == ["小明（10001）住在苏州"]


async def test_nobody_puts_right_what_another_said_or_what_was_said_elsewhere() -> None:
    async with memory() as memo:
        await memo.speak("我7月9号生日", HONG)
        await memo.speak("我7月9号生日", session=OTHER_GROUP)
        await memo.speak("打错了，不是7月9号，是7月19号")
        assert await memo.contents() == ["小红（10002）的生日是7月9号"]
        assert await memo.contents(OTHER_GROUP) == ["小明（10001）的生日是7月9号"]


async def test_what_is_over_is_recalled_no_more() -> None:
    async with memory() as memo:
        await memo.speak("我主要写Haskell")
        await memo.speak("我养了一只猫")
        await memo.speak("我主要写Haskell", HONG)
        await memo.speak("别问我 Haskell早扔了")
        assert sorted(await memo.contents()) == ["小明（10001）养了一只猫", "小红（10002）主要写 Haskell"]
        assert await past(memo, "archived") == ["小明（10001）主要写 Haskell"]


async def test_a_decision_takes_the_place_of_the_one_it_names() -> None:
    async with memory() as memo:
        await memo.speak("我们决定周会定在周四")
        await memo.speak("我们决定露营住木屋", HONG)
        await memo.speak("上次说的周会定在周四作废，我们改成周会定在周五", BOSS)
        assert sorted(await memo.contents()) == ["决定：改成周会定在周五", "决定：露营住木屋"]
        assert await past(memo, "superseded") == ["决定：周会定在周四"]
        waiting = [candidate.content for candidate in await memo.engine.pending_reviews()]
        assert "决定：周会定在周四" not in waiting


async def test_a_decision_of_another_chat_stands() -> None:
    async with memory() as memo:
        await memo.speak("我们决定周会定在周四", session=OTHER_GROUP)
        await memo.speak("上次说的周会定在周四作废，我们改成周会定在周五", session=GROUP)
        assert await memo.contents(OTHER_GROUP) == ["决定：周会定在周四"]


async def test_the_bots_own_words_end_nothing() -> None:
    async with memory() as memo:
        await memo.speak("我们决定周会改到周四")
        await memo.speak("我喜欢榴莲")
        for words in ("我记得：周会改到周四", "榴莲取消了", "你不喜欢榴莲了", "不是榴莲，是芒果"):
            await memo.speak(words, BOT)
        assert sorted(await memo.contents()) == ["决定：周会改到周四", "小明（10001）喜欢榴莲"]
        assert len(await memo.engine.pending_reviews()) == 1


async def test_said_again_it_does_not_end_itself() -> None:
    async with memory() as memo:
        for _ in range(2):
            await memo.speak("我们决定周会改到周四")
        for n in (1, 2):
            await memo.speak(f"我们决定第{n}号方案通过")
        assert len(await memo.contents()) == 3
        assert len(await memo.engine.pending_reviews()) == 3


async def test_an_answer_is_about_what_was_asked() -> None:
    async with memory() as memo:
        await memo.speak("我主要写Haskell")
        await memo.speak("我喜欢榴莲")
        await memo.speak("你还在写Haskell吗", HONG)
        await memo.speak("早不写了")
        assert await memo.contents() == ["小明（10001）喜欢榴莲"]
        await memo.speak("今天天气怎么样", HONG)
        await memo.speak("不喜欢了")
        await memo.speak("你还喜欢榴莲吗", HONG)
        await memo.speak("喜欢啊")
        assert await memo.contents() == ["小明（10001）喜欢榴莲"]
