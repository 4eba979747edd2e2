"""``bot.py demo``: a scripted chat with a real bot in a process of its own, over a real WebSocket.

Every claim on screen is checked against what the bot was really sent and answered: its prompts pass through a recording
endpoint. Without a key that endpoint is a small stand-in on this machine; with one it forwards to the real model.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from dotenv import dotenv_values

from nonebot_plugin_scoped_memory import texts
from tests.fakes.onebot import OneBotClient
from tests.fakes.openai_server import ChatRequest, OpenAIServer, run_in_thread
from tests.fakes.standin import memory_lines

ROOT = Path(__file__).parent
OPERATOR, MING, HONG, GANG, GROUP = 10000, 10001, 10002, 10003, 20001
NAMES = {OPERATOR: "管理员", MING: "小明", HONG: "小红", GANG: "小刚"}
PREFIX = "SCOPED_MEMORY__"
KINDS = "|".join(texts.KIND_NAMES.values())
ITEM = re.compile(rf"^\[(\w+)\] ({KINDS})·({texts.SCOPE_HERE}|{texts.SCOPE_SHARED})：(.+)$", re.MULTILINE)
WAITING = re.compile(rf"^\[(\w+)\] ({KINDS})：(.+)$", re.MULTILINE)
KIND_TWICE = re.compile(rf"\[((?:{texts.SCOPE_SHARED}·)?({KINDS}))\] \2：")
STARTS_WITHIN = 60.0
ANSWERS_WITHIN = 90.0


class Demo:
    """Plays messages and prints what became of them. ``failed`` counts the claims that did not hold."""

    def __init__(self, server: OpenAIServer) -> None:
        self.server = server
        self.failed = 0
        self.qq: OneBotClient | None = None
        self._seen: set[str] = set()
        """Ids of all items and waiting texts that the bot was found to hold so far."""

    def title(self, text: str) -> None:
        print(f"\n━━ {text}")

    def claim(self, holds: bool, text: str) -> None:
        self.failed += not holds
        print(f"   {'✓' if holds else '✗ 不成立：'} {text}")

    async def say(self, user: int, text: str, *, group: bool = False) -> tuple[str, list[str]]:
        """Say something to the bot. Returns its answer and the memory that stood in the prompt."""
        seen = len(self.server.chat_requests)
        name = NAMES[user]
        print(f"\n[群 {GROUP}] {name}（{user}）：@机器人 {text}" if group else f"\n[私聊 {user}] {name}：{text}")
        answer = await self._ask(user, text, group=group)
        prompts = [r for r in self.server.chat_requests[seen:] if not r.wants_json]
        recalled = [line for prompt in prompts for line in memory_lines(prompt.text)]
        if prompts:
            for line in recalled:
                print(f"   提示词里的记忆：{kind_once(line)}")
            if not recalled:
                print("   提示词里的记忆：（无）")
        print("   机器人：" + kind_once(answer).replace("\n", "\n           "))
        for line in await self._news(user, group=group):
            print(f"   存下：{line}")
        return answer, recalled

    async def stored(self, user: int, *, group: bool = False) -> str:
        """What the chat's own list shows."""
        answer, _ = await self.say(user, "/memory list", group=group)
        return answer

    async def _ask(self, user: int, text: str, *, group: bool) -> str:
        assert self.qq is not None
        name = NAMES[user]
        if group:
            return await self.qq.ask_group(
                GROUP, user, text, timeout=ANSWERS_WITHIN, card=name, nickname=name, at_bot=True
            )
        return await self.qq.ask_private(user, text, timeout=ANSWERS_WITHIN, nickname=name)

    async def _news(self, user: int, *, group: bool) -> list[str]:
        """What the bot holds since it was last looked at, as its own commands tell: content and scope."""
        listed = await self._ask(user, "/memory list", group=group)
        review = await self._ask(OPERATOR, "/memory review", group=False)
        stored = [found for found in ITEM.findall(listed) if found[0] not in self._seen]
        waiting = [found for found in WAITING.findall(review) if found[0] not in self._seen]
        self._seen.update(id for id, *_ in (*stored, *waiting))
        waits = {kind for _, kind, _ in waiting}
        return [
            kind_once(f"[{kind}] {content}")
            + f" → {scope}"
            + ("（等待管理员批准，之后共享）" if kind in waits and scope == texts.SCOPE_HERE else "")
            for _, kind, scope, content in reversed(stored)
        ]


def kind_once(text: str) -> str:
    """Memory as it stands in a prompt, without the word that is both label and beginning: ``[决定] 决定：…``."""
    return KIND_TWICE.sub(r"[\1] ", text)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@asynccontextmanager
async def running_bot(folder: Path, port: int, settings: dict[str, str], demo: Demo) -> AsyncIterator[None]:
    """A bot process with its client connected; stopped at the end. Raises OSError with its log if it does not start."""
    lines = {
        "DRIVER": "~fastapi",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "SUPERUSERS": json.dumps([str(OPERATOR)]),
        "COMMAND_START": '["/"]',
        "LOCALSTORE_USE_CWD": "true",
        **settings,
    }
    # In a folder of its own, so that no other .env is read.
    (folder / ".env").write_text("".join(f"{k}={v}\n" for k, v in lines.items()), encoding="utf-8")
    log = (folder / "bot.log").open("ab")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX) and k not in lines}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "bot.py"),
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        stdout=log,
        stderr=log,
    )
    try:
        async with OneBotClient(port, self_id="30001", patience=STARTS_WITHIN) as demo.qq:
            yield
    except OSError as e:
        raise OSError(f"{e}\n{(folder / 'bot.log').read_text(encoding='utf-8', errors='replace')[-3000:]}") from e
    finally:
        demo.qq = None
        if process.returncode is None:
            process.terminate()
        await asyncio.wait_for(process.wait(), 30)
        log.close()


async def play(demo: Demo, folder: Path, port: int, settings: dict[str, str]) -> None:
    async with running_bot(folder, port, settings, demo):
        demo.title("一、小明在私聊里说的话，留在他的私聊里")
        await demo.say(MING, "记住我喜欢手冲咖啡")
        await demo.say(MING, "我的猫叫豆豆")
        _, recalled = await demo.say(MING, "我的猫叫什么名字？")
        demo.claim(any("豆豆" in line for line in recalled), "小明问起时，豆豆在提示词里")
        listed = await demo.stored(MING)
        demo.claim("豆豆" in listed and "手冲咖啡" in listed and "本聊天" in listed, "两条都存在小明的聊天范围里")

        demo.title("二、小红的私聊对此一无所知")
        seen = len(demo.server.chat_requests)
        await demo.say(HONG, "猫叫什么名字？")
        await demo.say(HONG, "你知道谁喜欢手冲咖啡吗？")
        listed = await demo.stored(HONG)
        sent = "".join(r.text.replace("手冲咖啡吗", "") for r in demo.server.chat_requests[seen:])
        demo.claim("豆豆" not in sent and "手冲咖啡" not in sent, "发给模型的全部内容里都没有小明的事")
        demo.claim("豆豆" not in listed and "咖啡" not in listed, "小红的列表里也没有")

        demo.title("三、群里三个人，各是各的")
        await demo.say(MING, "我主要写 Python", group=True)
        await demo.say(HONG, "我主要写 Rust", group=True)
        await demo.say(GANG, "我对花生过敏", group=True)
        listed = await demo.stored(GANG, group=True)
        demo.claim(
            all(
                re.search(f"{who}.*{what}", listed) for who, what in ((MING, "Python"), (HONG, "Rust"), (GANG, "花生"))
            ),
            "三件事记在三个人名下，谁也没有覆盖谁",
        )
        demo.claim("豆豆" not in listed, "小明私聊里的猫没有进群")

        demo.title("四、群里的决定，要管理员批准才会在别处知道")
        await demo.say(HONG, "我们决定周会改到周四下午三点", group=True)
        _, recalled = await demo.say(HONG, "周会改到什么时候？", group=True)
        demo.claim(any("周四" in line for line in recalled), "群里马上知道")
        _, recalled = await demo.say(MING, "周会改到什么时候？")
        demo.claim(not any("周四" in line for line in recalled), "小明的私聊还不知道")
        review, _ = await demo.say(OPERATOR, "/memory review")
        waiting = re.search(r"\[(\w+)\]", review)
        demo.claim(waiting is not None and "周四" in review, "管理员看到它在等待批准")
        await demo.say(OPERATOR, f"/memory approve {waiting[1] if waiting else ''}")
        _, recalled = await demo.say(MING, "周会改到什么时候？")
        shared = [line for line in recalled if "周四" in line]
        demo.claim(bool(shared), "批准之后，小明的私聊也知道了")
        demo.claim(not any(str(n) in line for line in shared for n in (HONG, GROUP)), "其中没有来源的群号和 QQ 号")

    demo.title("五、机器人重启")
    async with running_bot(folder, port, settings, demo):
        _, recalled = await demo.say(MING, "还记得我的猫叫什么名字吗？")
        demo.claim(any("豆豆" in line for line in recalled), "重启之后还记得")
        _, recalled = await demo.say(HONG, "猫叫什么名字？")
        demo.claim(not any("豆豆" in line for line in recalled), "小红的私聊仍然不知道")
        await demo.say(MING, "我最近在给楼上的老奶奶画一本故事书，每周三晚上去")
        await demo.say(MING, "/memory new")
        _, recalled = await demo.say(MING, "我最近在画什么书？")
        demo.claim(
            any("故事书" in line for line in recalled), "模型从对话里整理出来的也记住了，开始新的对话之后仍然能想起"
        )


def standin_extraction(request: ChatRequest) -> str:
    """What the stand-in finds in a transcript: it knows one kind of sentence, 我最近在…"""
    items = []
    for turn, who, what in re.findall(r"\[(t\d+) [^\]]*? (u\d+) [^\]]*\] 我(最近在[^，。\n]+)", request.text):
        items.append(
            {
                "kind": "fact",
                "content": f"{who} {what}",
                "subject": who,
                "evidence": [turn],
                "confidence": 0.8,
                "importance": 0.5,
                "key": None,
                "audience": "chat",
                "valid_until": None,
            }
        )
    return json.dumps({"items": items}, ensure_ascii=False)


def forwarding(base_url: str, api_key: str, timeout: float) -> Callable[[ChatRequest], str]:
    """Answers for the recording endpoint that come from the real one."""

    def reply(request: ChatRequest) -> str:
        answer = httpx.post(
            f"{base_url.rstrip('/')}/chat/completions",
            json=request.json,
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=timeout,
        )
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]["content"] or ""

    return reply


def configured() -> dict[str, str]:
    """``llm.*`` and ``embedding.*`` from ``.env`` and the environment; nothing else of them is used."""
    given = {**dotenv_values(ROOT / ".env"), **os.environ}
    wanted = (f"{PREFIX}LLM__", f"{PREFIX}EMBEDDING__")
    return {k.upper(): v for k, v in given.items() if v and k.upper().startswith(wanted)}


def main() -> int:
    """Play the demo. Returns 0 only if every claim on screen held."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace", line_buffering=True)  # pyright: ignore[reportAttributeAccessIssue]
    settings = configured()
    key = settings.get(f"{PREFIX}LLM__API_KEY", "")
    server = OpenAIServer()
    if key:
        base_url = settings.get(f"{PREFIX}LLM__BASE_URL", "https://api.openai.com/v1")
        print(f"模型：{settings.get(f'{PREFIX}LLM__MODEL', 'gpt-4o-mini')}（{base_url}）")
        server.reply = forwarding(base_url, key, float(settings.get(f"{PREFIX}LLM__TIMEOUT", "60")))
    else:
        print("没有配置 SCOPED_MEMORY__LLM__API_KEY：用本机的离线替身代替模型，它只会照着提示词里的记忆回答。")
        server.extraction = standin_extraction
    return asyncio.run(_main(server, settings))


async def _main(server: OpenAIServer, settings: dict[str, str]) -> int:
    demo = Demo(server)
    temporary = tempfile.TemporaryDirectory(prefix="scoped-memory-demo-", ignore_cleanup_errors=True)
    with temporary as folder, run_in_thread(server):
        settings = {**settings, f"{PREFIX}LLM__BASE_URL": server.base_url, f"{PREFIX}LLM__API_KEY": "demo"}
        try:
            await play(demo, Path(folder), free_port(), settings)
        except (OSError, TimeoutError, asyncio.TimeoutError) as e:
            print(f"\n演示中断：{e}")
            return 1
    print(f"\n{'全部成立。' if not demo.failed else f'{demo.failed} 处不成立。'}")
    return 1 if demo.failed else 0
