"""The fakes do what a test that leans on them believes they do."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import InvalidHandshake

from .onebot import OneBotClient, Say
from .openai_replies import ChatRequest
from .openai_server import OpenAIServer, run_in_thread
from .segments import from_cq, image, text, to_cq
from .standin import NOTED, UNKNOWN, hash_embedding, standin_reply

pytestmark = pytest.mark.timeout(20)

BLOCK = '<memory scope="chat">\n- [fact] 用户的猫叫豆豆 &lt;橘猫&gt;\n- [preference] 喜欢手冲咖啡\n</memory>'


class BotSide:
    """The bot's end of the wire: keeps the events and can call the client's API."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.connections: list[ServerConnection] = []
        self.echoes = False
        self.port = 0

    async def handle(self, connection: ServerConnection) -> None:
        self.connections.append(connection)
        async for frame in connection:
            data: dict[str, Any] = json.loads(frame)
            await (self.events if "post_type" in data else self.answers).put(data)
            if self.echoes and data.get("post_type") == "message":
                await self.send("send_msg", {**data, "message": [text("你说：" + data["raw_message"])]})

    async def send(self, action: str, params: dict[str, Any]) -> None:
        await self.connections[-1].send(json.dumps({"action": action, "params": params, "echo": action}))

    async def call(self, action: str, **params: Any) -> dict[str, Any]:
        await self.send(action, params)
        answer = await asyncio.wait_for(self.answers.get(), 5)
        assert answer["echo"] == action
        return answer

    async def event(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.events.get(), 5)


@contextlib.asynccontextmanager
async def bot_side() -> AsyncIterator[BotSide]:
    side = BotSide()
    async with serve(side.handle, "127.0.0.1", 0) as server:
        side.port = next(iter(server.sockets)).getsockname()[1]
        yield side


async def test_client_introduces_itself_and_leaves_no_task() -> None:
    async with bot_side() as bot, OneBotClient(bot.port, "10000", access_token="geheim", heartbeat=0.01) as qq:
        first, second = await bot.event(), await bot.event()
        headers = getattr(bot.connections[0].request, "headers", {})
        assert (headers["X-Self-ID"], headers["Authorization"]) == ("10000", "Bearer geheim")
        assert (first["meta_event_type"], first["sub_type"], first["self_id"]) == ("lifecycle", "connect", 10000)
        assert (second["meta_event_type"], second["interval"]) == ("heartbeat", 10)
        assert qq.connected
    assert not qq.connected
    assert not [task for task in asyncio.all_tasks() if "Link." in repr(task)]


async def test_group_message_has_what_a_real_client_sends() -> None:
    async with bot_side() as bot, OneBotClient(bot.port) as qq:
        await bot.event()
        quoted = await qq.group(20001, 10002, "原话", nickname="小红")
        message_id = await qq.group(
            20001,
            10001,
            "你好, [x]",
            card="明",
            nickname="小明",
            role="admin",
            at_bot=True,
            reply_to=quoted,
            time=1_790_000_000,
        )
        await bot.event()
        event = await bot.event()
        assert (event["message_type"], event["sub_type"], event["time"]) == ("group", "normal", 1_790_000_000)
        assert [segment["type"] for segment in event["message"]] == ["reply", "at", "text"]
        assert event["raw_message"] == f"[CQ:reply,id={quoted}][CQ:at,qq=10000] 你好, &#91;x&#93;"
        assert event["sender"] == {"user_id": 10001, "nickname": "小明", "card": "明", "role": "admin"}
        stored = (await bot.call("get_msg", message_id=quoted))["data"]
        assert (stored["sender"]["nickname"], stored["message"]) == ("小红", [text("原话")])
        member = (await bot.call("get_group_member_info", group_id=20001, user_id=10001))["data"]
        assert (member["card"], member["role"]) == ("明", "admin")
        await qq.recall_group(20001, 10001, message_id)
        assert (await bot.event())["notice_type"] == "group_recall"
        assert (await bot.call("get_msg", message_id=message_id))["status"] == "failed"


async def test_anonymous_and_temporary_and_cq() -> None:
    async with bot_side() as bot, OneBotClient(bot.port, cq=True) as qq:
        await bot.event()
        await qq.group(20001, 10001, [image(), text("看")], anonymous="火影")
        masked = await bot.event()
        assert (masked["user_id"], masked["sub_type"], masked["anonymous"]["name"]) == (80000000, "anonymous", "火影")
        assert from_cq(masked["message"])[1] == text("看")
        await qq.private(10001, "在吗", sub_type="group")
        temporary = await bot.event()
        assert temporary["sub_type"] == "group"
        assert "group_id" not in temporary


async def test_one_group_message_through_two_accounts() -> None:
    async with bot_side() as bot, OneBotClient(bot.port, "10000") as first, OneBotClient(bot.port, "10009") as second:
        await bot.event()
        await bot.event()
        ids = await OneBotClient.broadcast_group([first, second], 20001, 10001, "大家好", nickname="小明")
        events = [await bot.event(), await bot.event()]
        assert len(set(ids)) == 2
        assert {event["self_id"] for event in events} == {10000, 10009}
        assert len({(event["time"], event["message_seq"], event["real_seq"]) for event in events}) == 1


async def test_calls_are_answered_delayed_refused_or_left_hanging() -> None:
    async with bot_side() as bot, OneBotClient(bot.port, report_self=True) as qq:
        sent_id = (await bot.call("send_group_msg", group_id=20001, message="[CQ:at,qq=10001] 好"))["data"][
            "message_id"
        ]
        [sent] = await qq.wait_sent(group_id=20001, contains="好")
        assert (sent.message_id, sent.text, sent.mentions, sent.user_id) == (sent_id, " 好", ["10001"], None)
        await bot.event()
        report = await bot.event()
        assert (report["post_type"], report["message_id"], report["user_id"]) == ("message_sent", sent_id, 10000)
        assert (await bot.call("get_msg", message_id=sent_id))["data"]["sender"]["user_id"] == 10000
        assert (await bot.call("no_such_action"))["retcode"] == 1404
        assert (await bot.call("send_msg"))["retcode"] == 1400

        forward_id = qq.add_forward([(10001, "小明", "一"), (10002, "小红", "二")])
        data = (await bot.call("get_forward_msg", id=forward_id))["data"]
        assert [node["sender"]["nickname"] for node in data["messages"]] == ["小明", "小红"]
        qq.fail["get_forward_msg"] = 1200
        assert (await bot.call("get_forward_msg", id=forward_id))["retcode"] == 1200
        qq.hang.add("get_msg")
        qq.delay["get_status"] = lambda _: 0.01
        await bot.send("get_msg", {"message_id": sent_id})
        assert (await bot.call("get_status"))["data"]["online"]
        assert [call.action for call in qq.calls].count("get_msg") == 2
        with pytest.raises(TimeoutError):
            await qq.wait_sent(timeout=0.01)


async def test_ask_and_play() -> None:
    async with bot_side() as bot, OneBotClient(bot.port) as qq:
        bot.echoes = True
        assert await qq.ask_private(10001, "一") == "你说：一"
        assert await qq.ask_group(20001, 10001, "二") == "你说：二"
        script = [Say(10001, "三"), Say(10002, "四", group_id=20001), Say(10001, "五", answer=False)]
        assert await qq.play(script) == ["你说：三", "你说：四", None]
        assert [sent.text for sent in await qq.wait_sent()] == ["你说：五"]


async def test_dropped_client_comes_back() -> None:
    async with bot_side() as bot, OneBotClient(bot.port) as qq:
        await qq.drop()
        with pytest.raises(ConnectionError):
            await qq.private(10001, "在吗")
        await qq.connect()
        assert len(bot.connections) == 2
        assert (await bot.call("get_login_info"))["data"]["user_id"] == 10000
        await bot.connections[1].close()
        await qq.wait_closed()
        with pytest.raises(ConnectionError):
            await qq.wait_sent()


async def test_nobody_listens() -> None:
    async with serve(BotSide().handle, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
    with pytest.raises((OSError, InvalidHandshake)):
        await OneBotClient(port, patience=0).connect()


def test_cq_codes_come_back_as_they_went() -> None:
    segments = [text("a&[b],"), {"type": "at", "data": {"qq": "1,2"}}, text("\ud83d")]
    assert from_cq(to_cq(segments)) == segments


def ask(content: str, **fields: Any) -> dict[str, Any]:
    return {"model": "fake-chat", "messages": [{"role": "user", "content": content}], **fields}


async def test_server_talks_from_memory_and_extracts_json() -> None:
    async with OpenAIServer() as server, httpx.AsyncClient(base_url=server.base_url) as client:
        messages = [
            {"role": "system", "content": "你是助手。"},
            {"role": "user", "content": BLOCK + "\n我的猫叫什么？"},
        ]
        body = (await client.post("/chat/completions", json={"model": "m", "messages": messages})).json()
        assert body["choices"][0]["message"]["content"] == "我记得：[fact] 用户的猫叫豆豆 <橘猫>。"
        assert body["usage"]["prompt_tokens"] > 0
        server.extraction = lambda request: json.dumps({"items": [request.model]})
        answer = await client.post("/chat/completions", json=ask("x", response_format={"type": "json_object"}))
        assert json.loads(answer.json()["choices"][0]["message"]["content"]) == {"items": ["fake-chat"]}
        assert "猫" in server.chat_requests[0].text
        assert (await client.get("/models")).json()["data"][0]["id"] == "fake-chat"


async def test_server_fails_as_told() -> None:
    def text_of(response: httpx.Response) -> Any:
        return response.json()["choices"][0]["message"]["content"]

    async with OpenAIServer(api_key="k") as server, httpx.AsyncClient(base_url=server.base_url) as client:
        assert (await client.post("/chat/completions", json=ask("x"))).status_code == 401
        client.headers["Authorization"] = "Bearer k"
        server.reply = lambda _: '{"items": [1, 2]}'
        server.push(429, "prose", "fenced", "list_root", "truncated", "bad_escape", "refused", "empty", lambda _: "说")
        server.retry_after = 2
        replies = [await client.post("/chat/completions", json=ask("x")) for _ in range(9)]
        assert (replies[0].status_code, replies[0].headers["retry-after"]) == (429, "2")
        contents = [text_of(reply) for reply in replies[1:]]
        assert contents[0].startswith("好的")
        assert contents[1].startswith("```json")
        assert json.loads(contents[2]) == [1, 2]
        for broken in (contents[3], contents[4]):
            with pytest.raises(json.JSONDecodeError):
                json.loads(broken)
        assert contents[5:] == [None, "", "说"]
        assert replies[6].json()["choices"][0]["message"]["refusal"]
        server.default_mode = "no_json_schema"
        schema = {"type": "json_schema", "json_schema": {}}
        assert (await client.post("/chat/completions", json=ask("x", response_format=schema))).status_code == 400
        server.mode_for = lambda request: 500 if "坏" in request.text else None
        assert (await client.post("/chat/completions", json=ask("坏"))).status_code == 500
        assert (await client.post("/chat/completions", json=ask("好"))).status_code == 200
        with pytest.raises(ValueError, match="unknown mode"):
            server.push("nonsense")


async def test_hang_ends_with_the_client_and_with_the_server() -> None:
    before = asyncio.all_tasks()
    async with httpx.AsyncClient() as client:
        async with OpenAIServer() as server:
            server.push("hang", "hang")
            with pytest.raises(httpx.ReadTimeout):
                await client.post(server.base_url + "/chat/completions", json=ask("x"), timeout=0.05)
            pending = asyncio.create_task(client.post(server.base_url + "/chat/completions", json=ask("x")))
            await server.wait_chats(2)
        assert (await pending).status_code == 503
        with pytest.raises(httpx.ConnectError):
            await client.get(server.base_url + "/models")
    assert asyncio.all_tasks() <= before


async def test_embeddings_are_near_for_near_texts() -> None:
    async with OpenAIServer(dims=128) as server, httpx.AsyncClient(base_url=server.base_url) as client:
        server.shuffle_embeddings = True
        texts = ["喜欢手冲咖啡", "他喜欢手冲的咖啡", "明天交报告", ""]
        data = (await client.post("/embeddings", json={"model": "m", "input": texts})).json()["data"]
        assert [entry["index"] for entry in data] != [0, 1, 2, 3]
        vectors = {entry["index"]: entry["embedding"] for entry in data}
        assert vectors[0] == hash_embedding(texts[0], 128)
        near, far = (sum(a * b for a, b in zip(vectors[0], vectors[index], strict=True)) for index in (1, 2))
        assert near > 0.5 > 0.3 > abs(far)
        server.push_embedding("short", 500)
        short = await client.post("/embeddings", json={"model": "m", "input": texts})
        assert len(short.json()["data"]) == 3
        assert (await client.post("/embeddings", json={"model": "m", "input": "x"})).status_code == 500
        assert server.embedding_requests[-1].inputs == ["x"]


async def test_server_in_its_own_thread_can_hold_its_answers() -> None:
    with run_in_thread() as server:
        server.hold()
        async with httpx.AsyncClient(base_url=server.base_url) as client:
            pending = asyncio.create_task(client.post("/chat/completions", json=ask("你好")))
            await server.wait_chats(1)
            assert not pending.done()
            server.release()
            assert (await asyncio.wait_for(pending, 5)).json()["choices"][0]["message"]["content"] == NOTED


def test_standin_says_only_what_the_prompt_says() -> None:
    def reply(*contents: str) -> str:
        return standin_reply([{"role": "user", "content": content} for content in contents])

    assert reply(BLOCK, "狗叫什么") == UNKNOWN
    assert reply(BLOCK, "猫叫什么来着") == "我记得：[fact] 用户的猫叫豆豆 <橘猫>。"
    assert reply("我的猫叫豆豆", "猫叫什么？") == "刚才说过：“我的猫叫豆豆”"
    assert reply("- 猫叫豆豆", "<memory>\n没有", "猫呢？") == "刚才说过：“- 猫叫豆豆”"
    assert reply() == NOTED


def test_json_in_a_memory_is_no_request_for_json() -> None:
    def request(system: str) -> ChatRequest:
        return ChatRequest([{"role": "system", "content": system}], "m", None, {}, {})

    assert request("Answer in JSON.").wants_json
    assert not request("<memory>\n- 喜欢 JSON\n</memory>").wants_json
