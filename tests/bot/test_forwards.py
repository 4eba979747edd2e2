"""What a merged forward holds is read after its message was stored, within bounds, and is nobody's own words."""

from __future__ import annotations

from typing import Any

import pytest

from nonebot_plugin_scoped_memory.bot import enriching
from tests.bot.casting import GANG, GROUP, GROUP_KEY, HONG, MING, PRIVATE, answer, everything, found
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.segments import forward, text

LINES: list[tuple[int, str, Any]] = [(HONG, "小红", "我养了一只柴犬"), (GANG, "小刚", "我怕狗")]


async def forwarded(bot: RunningBot, session_key: str = PRIVATE) -> list[tuple[str, str]]:
    """(name, words) of everything that was forwarded in a session."""
    turns = await bot.turns(session_key)
    return [(quote.name, quote.text) for turn in turns for quote in turn.quotes if quote.kind == "forward"]


@pytest.mark.parametrize("standard", [False, True])
async def test_the_lines_are_kept_and_shown_to_the_model(bot: RunningBot, standard: bool) -> None:
    qq = await bot.connect()
    await qq.ask_private(MING, [forward(qq.add_forward(LINES, standard=standard))], nickname="小明")
    await bot.settled()
    assert await forwarded(bot) == [("小红", "我养了一只柴犬"), ("小刚", "我怕狗")]
    assert "（转发 小红：“我养了一只柴犬”）" in bot.llm.chat_requests[-1].text
    [turn] = [turn for turn in await bot.turns(PRIVATE) if turn.quotes]
    assert turn.text == "[合并转发]"


@pytest.mark.parametrize(
    "data",
    [
        {"content": [{"sender": {"user_id": HONG, "nickname": "小红"}, "message": [text("我养了一只柴犬")]}]},
        {"content": [{"sender": {"user_id": HONG, "nickname": "小红"}, "content": "我养了一只柴犬"}]},
        {
            "messages": [
                {"type": "node", "data": {"uin": str(HONG), "name": "小红", "content": [text("我养了一只柴犬")]}}
            ]
        },
        {"data": {"messages": [{"sender": {"user_id": HONG, "card": "小红"}, "message": "我养了一只柴犬"}]}},
    ],
)
async def test_other_clients_shapes(bot: RunningBot, data: dict[str, Any]) -> None:
    qq = await bot.connect()
    qq.forwards["f"] = data
    await qq.ask_private(MING, [forward("f")])
    await qq.ask_private(MING, [{"type": "forward", "data": data}])  # delivered with its contents
    card = '{"app":"com.tencent.multimsg","meta":{"detail":{"resid":"f"}}}'
    await qq.ask_private(MING, [{"type": "json", "data": {"data": card}}])
    await bot.settled()
    assert await forwarded(bot) == [("小红", "我养了一只柴犬")] * 3


@pytest.mark.parametrize(
    "answer_of_the_client",
    [None, {}, [], "x", {"messages": None}, {"messages": [None, 5, {}, {"sender": 5, "message": 5}]}, {"message": {}}],
)
async def test_an_answer_that_makes_no_sense_leaves_the_placeholder(bot: RunningBot, answer_of_the_client: Any) -> None:
    qq = await bot.connect()
    qq.answers["get_forward_msg"] = lambda _: answer_of_the_client
    await qq.ask_private(MING, [forward("f")])
    await bot.settled()
    assert await forwarded(bot) == []
    assert "[合并转发]" in [turn.text for turn in await bot.turns(PRIVATE)]


async def test_a_client_that_fails_costs_the_forward_only(bot: RunningBot) -> None:
    qq = await bot.connect()
    qq.fail["get_forward_msg"] = 1200
    await qq.ask_private(MING, [text("看这个"), forward("f")])
    await bot.settled()
    assert (await bot.turns(PRIVATE))[0].text == "看这个[合并转发]"


async def test_a_client_that_hangs_keeps_nobody_waiting(bot: RunningBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enriching, "WITHIN", 0.2)
    qq = await bot.connect()
    qq.hang.add("get_forward_msg")
    await qq.ask_private(MING, [forward("f")])
    await qq.ask_private(HONG, "我的猫叫豆豆")
    await bot.settled()
    assert await forwarded(bot) == []
    assert len(await bot.items(f"qq:private:{HONG}")) == 1


async def test_nested_forwards_are_opened_within_bounds(bot: RunningBot) -> None:
    qq = await bot.connect()
    inner = qq.add_forward([(GANG, "小刚", "最里面")])
    for depth in range(4, 0, -1):
        inner = qq.add_forward([(HONG, "小红", f"第 {depth} 层"), (HONG, "小红", [forward(inner)])])
    await qq.ask_private(MING, [forward(inner)])
    await bot.settled()
    words = [words for _, words in await forwarded(bot)]
    assert [word for word in words if "层" in word] == ["第 1 层", "第 2 层", "第 3 层", "第 4 层"]
    assert "最里面" not in words


async def test_a_forward_that_holds_itself_or_thousands_of_lines_ends(bot: RunningBot) -> None:
    qq = await bot.connect()
    calls: list[dict[str, Any]] = []
    endless = qq.add_forward([(HONG, "小红", f"第 {n} 句") for n in range(3_000)])
    qq.forwards["self"] = {"messages": [{"sender": {"user_id": HONG}, "message": [forward("self")]}]}
    plain = qq.answers["get_forward_msg"]

    def counted(params: dict[str, Any]) -> Any:
        calls.append(params)
        return plain(params)

    qq.answers["get_forward_msg"] = counted
    await qq.ask_private(MING, [forward("self"), forward(endless), *(forward(f"no{n}") for n in range(50))])
    await bot.settled()
    assert len(calls) <= enriching.MAX_CALLS
    assert len(await forwarded(bot)) == enriching.MAX_LINES
    assert len(bot.llm.chat_requests[-1].text) < 5_000


async def test_thirty_foreign_lines_make_no_item_of_the_forwarder(bot: RunningBot) -> None:
    everything_is_mings = answer(*(found(f"u1 喜欢第{n}种茶", "t1", "u1", kind="preference") for n in range(30)))
    bot.llm.extraction = lambda _: everything_is_mings
    qq = await bot.connect()
    lines: list[tuple[int, str, Any]] = [(HONG, "小红", f"我喜欢第{n}种茶") for n in range(30)]
    await qq.ask_private(MING, [forward(qq.add_forward(lines))], nickname="小明")
    await bot.settled()
    await bot.engine.listener.extract("default", PRIVATE)
    assert any(request.wants_json for request in bot.llm.chat_requests)
    assert await bot.items(PRIVATE) == []


@everything
async def test_forwarded_secrets_are_hidden(bot: RunningBot) -> None:
    qq = await bot.connect()
    await qq.group(GROUP, MING, [forward(qq.add_forward([(HONG, "小红", "密码是 hunter2024")]))])
    await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    await bot.settled()
    [(_, words)] = await forwarded(bot, GROUP_KEY)
    assert "hunter2024" not in words


# --- what members are called


def joined(qq: OneBotClient) -> None:
    qq.join(GROUP, {"user_id": HONG, "nickname": "红", "card": "小红"})


@everything
async def test_a_member_who_never_spoke_is_named_as_the_group_knows_them(bot: RunningBot) -> None:
    qq = await bot.connect()
    joined(qq)
    asked: list[dict[str, Any]] = []
    plain = qq.answers["get_group_member_info"]

    def counted(params: dict[str, Any]) -> Any:
        asked.append(params)
        return plain(params)

    qq.answers["get_group_member_info"] = counted
    mention = {"type": "at", "data": {"qq": str(HONG)}}
    for words in ("生日是三月三号", "住在杭州"):
        await qq.group(GROUP, MING, [mention, text(words)], card="小明")
    await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    await bot.settled()
    mentions = {mention for turn in await bot.turns(GROUP_KEY) for mention in turn.mentions}
    assert (f"qq:user:{HONG}", "小红") in mentions
    assert (f"qq:user:{HONG}", str(HONG)) not in mentions
    assert sum(params["user_id"] == HONG for params in asked) == 1
    await bot.engine.listener.extract("default", GROUP_KEY)
    transcript = next(request.text for request in bot.llm.chat_requests if request.wants_json)
    assert f"@{HONG}(u2)" in transcript


@everything
async def test_an_unknown_member_stays_a_number(bot: RunningBot) -> None:
    qq = await bot.connect()
    qq.fail["get_group_member_info"] = 1200
    await qq.group(GROUP, MING, [{"type": "at", "data": {"qq": str(HONG)}}, text("在吗")])
    await qq.ask_group(GROUP, MING, "在吗", at_bot=True)
    await bot.settled()
    assert (f"qq:user:{HONG}", str(HONG)) in {m for turn in await bot.turns(GROUP_KEY) for m in turn.mentions}
