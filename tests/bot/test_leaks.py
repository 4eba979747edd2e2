"""Twenty-five chats on one bot at once, each with words of its own: none of them is ever seen in another chat.

Every prompt, every text that is embedded and everything that the bot says is searched. All chats talk of the same
things in the same sentences, so that each question would find the others' memories if it could.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.engine.prompt import BLOCK_CLOSE
from tests.bot.casting import BOT, OTHER_BOT, answer, found, transcript_lines
from tests.conftest import RunningBot
from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_replies import ChatRequest
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.standin import memory_lines

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.settings(record__groups="all", extract__every_turns=4, llm__concurrency=8, llm__timeout=30),
]

SEED = 20261130
PRIVATE_CHATS, GROUPS = 15, 10
PEOPLE = range(10_101, 10_101 + PRIVATE_CHATS)
STEPS = 6
KINDS = ("preference", "fact", "task", "decision", "procedure", "warning", "summary")

STATEMENTS = (
    "记住我喜欢{word}",
    "我喜欢{word}",
    "我的猫叫{word}",
    "我对{word}过敏",
    "我们决定周会改到{word}",
    "我最近在学{word}",
    "小明说他喜欢{word}",
    "以后都用{word}",
    "{tag}，记住密码是{word}",
)
QUESTIONS = "我喜欢什么 猫叫什么 我对什么过敏 周会改到哪里 密码是什么 我在学什么 你知道什么 谁喜欢什么".split()
COMMANDS = ("list", "search 喜欢", "search 周会", "status", "add 我喜欢{word}", "add 决定用{word}", "new", "off", "on")


class Room:
    """One chat, its people and its words. ``tag`` stands in each message that has no other word of the chat."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(f"{SEED}-{number}")
        self.number = number
        self.group = 20_100 + number if number >= PRIVATE_CHATS else None
        self.user = PEOPLE[number] if self.group is None else None
        self.people = [self.user] if self.user is not None else self.rng.sample(PEOPLE, 3)
        self.tag = f"tag{number:02}q"
        self.made = 0
        self.listed: list[str] = []
        self.said: list[tuple[int, list[int]]] = []

    @property
    def session_key(self) -> str:
        return f"qq:private:{self.user}" if self.group is None else f"qq:group:{self.group}"

    def word(self) -> str:
        """A new word of this chat: Han characters, or Latin ones."""
        self.made += 1
        if self.made % 3 == 0:
            return f"w{self.number:02}x{self.made:02}z"
        return f"{chr(0x5F00 + self.number)}{chr(0x7300 + self.number)}{chr(0x9100 + self.made)}"

    def knows(self, text: str) -> bool:
        """Whether a text has a word of this chat."""
        latin = rf"{self.tag}|w{self.number:02}x\d\dz"
        return re.search(rf"{latin}|{chr(0x5F00 + self.number)}{chr(0x7300 + self.number)}", text) is not None

    async def talk(self, clients: Sequence[OneBotClient], steps: int) -> None:
        for _ in range(steps):
            await self.step(clients)

    async def step(self, clients: Sequence[OneBotClient]) -> None:
        act = self.rng.choices(("state", "ask", "command", "forget", "recall"), (45, 30, 15, 5, 5))[0]
        if act == "state":
            statement = self.rng.choice(STATEMENTS).format(word=self.word(), tag=self.tag)
            await self.say(clients, statement, self.rng.random() < 0.5)
        elif act == "ask":
            await self.say(clients, f"{self.tag}：{self.rng.choice(QUESTIONS)}？", True)
        elif act == "command":
            await self.command(clients, self.rng.choice(COMMANDS).format(word=self.word()))
        elif act == "forget":
            await self.command(clients, f"forget {self.rng.choice(self.listed or ['k3f9ab'])}")
        elif self.said:
            user, ids = self.said.pop()
            for client, message_id in zip(clients, ids, strict=False):
                if self.group is None:
                    await client.recall_friend(user, message_id)
                else:
                    await client.recall_group(self.group, user, message_id)

    async def command(self, clients: Sequence[OneBotClient], command: str) -> None:
        answered = await self.say(clients, f"/memory {command}", True)
        self.listed = re.findall(r"^\[(\w+)\]", answered, re.MULTILINE) or self.listed

    async def say(self, clients: Sequence[OneBotClient], words: str, to_bot: bool) -> str:
        """Say something; what is said to the bot waits for its answer, which is returned."""
        first = clients[0]
        since = first.mark()
        user = self.rng.choice(self.people)
        if self.group is None:
            ids = [await first.private(user, words, nickname=f"成员{user}")]
        else:
            options: dict[str, Any] = {"card": f"成员{user}", "role": "admin", "at_bot": to_bot}
            ids = await OneBotClient.broadcast_group(clients, self.group, user, words, **options)
        self.said.append((user, ids))
        if self.group is not None and not to_bot:
            return ""
        [sent] = await first.wait_sent(1, 30, user_id=self.user, group_id=self.group, since=since)
        return sent.text


def greedy(request: ChatRequest) -> str:
    """A model that takes everything for a memory of any kind, to be shared with all."""
    lines = [line for line in transcript_lines(request) if line[1] != "匿名"]
    return answer(
        *(
            found(f"{who} {words}"[:200], turn, who if n % 3 else None, kind=KINDS[n % 7], audience="shared")
            for n, (turn, who, words) in enumerate(lines)
        )
    )


class Stage:
    """The bot with all its chats."""

    def __init__(self, bot: RunningBot) -> None:
        self.bot = bot
        self.rooms = [Room(number) for number in range(PRIVATE_CHATS + GROUPS)]
        self.clients: list[OneBotClient] = []
        bot.llm.extraction = greedy

    async def talk(self, steps: int) -> None:
        """All chats talk at once; in every other group both bots are members."""
        both = [await self.bot.connect(str(BOT)), await self.bot.connect(str(OTHER_BOT))]
        self.clients += both
        await asyncio.gather(*(room.talk(both if room.number % 2 else both[:1], steps) for room in self.rooms))
        await asyncio.gather(*(room.say(both[:1], f"{room.tag}：我喜欢什么？", True) for room in self.rooms))
        await self.bot.settled()

    def whose(self, text: str) -> list[int]:
        """The chats whose words a text holds."""
        return [room.number for room in self.rooms if room.knows(text)]

    def check(self, requests: Sequence[ChatRequest], embedded: Sequence[str] = ()) -> None:
        recalled: set[int] = set()
        for request in requests:
            owners = self.whose(request.text)
            assert len(owners) <= 1, f"words of the chats {owners} in one prompt:\n{request.text}"
            if not request.wants_json:
                current = request.messages[-1]["content"].rpartition(BLOCK_CLOSE)[2]
                assert self.whose(current) == owners, f"a prompt with a stranger's words:\n{request.text}"
                recalled.update(self.whose("\n".join(memory_lines(request.text))))
        for text in embedded:
            assert len(self.whose(text)) <= 1, f"words of several chats embedded together: {text}"
        for room in self.rooms:
            here = [sent.text for client in self.clients for sent in client.sent if self.is_in(room, sent)]
            assert here, f"the bot never spoke in chat {room.number}"
            assert not set(self.whose("\n".join(here))) - {room.number}, f"a stranger's words in chat {room.number}"
        # The chats did have memories to lose, and each of them that was asked knew its own.
        assert len(recalled) > len(self.rooms) // 2
        assert any(request.wants_json for request in requests)

    @staticmethod
    def is_in(room: Room, sent: Any) -> bool:
        return sent.group_id == room.group if room.group is not None else sent.user_id == room.user


async def test_no_word_leaves_its_chat(bot: RunningBot) -> None:
    stage = Stage(bot)
    await stage.talk(STEPS)
    stage.check(bot.llm.chat_requests)
    items = [item.content for room in stage.rooms for item in await bot.items(room.session_key, status=None)]
    assert len(items) > len(stage.rooms)


@pytest.fixture
def with_vectors(llm: OpenAIServer, settings: Callable[..., Any]) -> None:
    settings(
        embedding__provider="openai",
        embedding__base_url=llm.base_url,
        embedding__model="fake",
        embedding__api_key="x",
    )


@pytest.mark.usefixtures("with_vectors")
async def test_no_word_leaves_its_chat_by_its_meaning(bot: RunningBot) -> None:
    stage = Stage(bot)
    await stage.talk(STEPS)
    embedded = [text for request in bot.llm.embedding_requests for text in request.inputs]
    assert len(embedded) > len(stage.rooms)
    stage.check(bot.llm.chat_requests, embedded)


@pytest.mark.usefixtures("with_vectors")
async def test_no_word_leaves_its_chat_with_a_restart_in_between(bot: RunningBot) -> None:
    stage = Stage(bot)
    await stage.talk(STEPS // 2)
    await bot.restart()
    await stage.talk(STEPS - STEPS // 2)
    stage.check(bot.llm.chat_requests, [text for request in bot.llm.embedding_requests for text in request.inputs])


async def test_a_leak_would_be_found(bot: RunningBot) -> None:
    """The search itself: one word of a stranger's in one prompt is enough."""
    stage = Stage(bot)
    stage.rooms = stage.rooms[:2]
    await stage.talk(1)
    own, strange = (room.word() for room in stage.rooms)
    leaked = ChatRequest([{"role": "user", "content": f"- {strange}\n{BLOCK_CLOSE}\n\n{own}"}], "m", None, {}, {})
    with pytest.raises(AssertionError, match="in one prompt"):
        stage.check([leaked])
