"""The chat client against a real HTTP server that answers in every way that endpoints do."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta, timezone

import httpx
import pytest

from nonebot_plugin_scoped_memory.engine.errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)
from nonebot_plugin_scoped_memory.engine.llm import Completion, OpenAIChat
from nonebot_plugin_scoped_memory.engine.text import count_tokens
from tests.fakes.openai_server import OpenAIServer, run_in_thread

KEY = "sk-canary-0123456789"
SECRET = "我的秘密是蓝色的大象"
MESSAGES = [{"role": "system", "content": "你是助手。"}, {"role": "user", "content": SECRET}]
SCHEMA = {"type": "object", "properties": {"items": {"type": "array"}}, "required": ["items"]}


class FakeClock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=timezone.utc)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **delta: float) -> None:
        self.now += timedelta(**delta)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[OpenAIServer]:
    with run_in_thread() as running:
        yield running


@pytest.fixture
def server(shared_server: OpenAIServer) -> OpenAIServer:
    shared_server.reset()
    shared_server.reply = lambda _: "好的"
    return shared_server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def chat(server: OpenAIServer, clock: FakeClock) -> AsyncIterator[OpenAIChat]:
    model = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, clock=clock)
    yield model
    await model.close()


def scripted(*answers: httpx.Response | Exception, model: str = "m", timeout: float = 5.0) -> OpenAIChat:
    """A client whose requests get these answers in order, the last one for ever; requests are in ``.sent``."""
    queue = list(answers)
    sent: list[dict] = []

    def handle(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content)

    client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    chat = OpenAIChat("https://api.example.com/v1/", KEY, model, timeout=timeout, client=client)
    chat.sent = sent  # type: ignore[attr-defined]
    return chat


def said(content: object, **more: object) -> httpx.Response:
    message = {"role": "assistant", "content": content, **more}
    return httpx.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]})


def failed(status: int, message: str = "", code: object = None) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": message, "code": code, "type": "some_error"}})


async def fail(chat: OpenAIChat, **more: object) -> ProviderError:
    """The error that a call ends in; checked to repeat neither key nor words."""
    with pytest.raises(ProviderError) as caught:
        await chat.complete(MESSAGES, purpose="extract", **more)  # type: ignore[arg-type]
    shown = f"{caught.value} {caught.value!r} {caught.value.problem} {chat.state}"
    for hidden in (KEY, SECRET, "你是助手", "好的"):
        assert hidden not in shown
    assert caught.value.purpose == "extract"
    return caught.value


class TestAnswers:
    async def test_text_and_usage(self, chat: OpenAIChat, server: OpenAIServer) -> None:
        answer = await chat.complete(MESSAGES, purpose="chat", max_tokens=50)
        prompt = sum(len(message["content"]) for message in MESSAGES) + 1
        assert answer == Completion("好的", prompt, 2, estimated=False)
        request = server.chat_requests[0]
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.json == {"model": "fake-chat", "messages": MESSAGES, "max_tokens": 50}
        assert chat.state.ok

    async def test_missing_usage_is_counted(self, chat: OpenAIChat, server: OpenAIServer) -> None:
        server.report_usage = False
        answer = await chat.complete(MESSAGES, purpose="chat")
        assert answer.estimated
        assert answer.tokens_out == count_tokens("好的")
        assert answer.tokens_in >= sum(count_tokens(message["content"]) for message in MESSAGES)

    @pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": None}, {"prompt_tokens": "7"}, {"prompt_tokens": 7}])
    async def test_half_a_usage_is_estimated(self, usage: object) -> None:
        body = {"choices": [{"message": {"content": "ok"}}], "usage": usage}
        answer = await scripted(httpx.Response(200, json=body)).complete(MESSAGES, purpose="chat")
        assert answer.estimated
        assert answer.tokens_in > 0
        assert answer.tokens_out == 1

    async def test_leading_thoughts_are_left_out_but_counted(self) -> None:
        thoughts = "\n<think>\n用户在问候 </tag>\n</think>\n\n你好 <think>不算</think>"
        answer = await scripted(said(thoughts)).complete(MESSAGES, purpose="chat")
        assert answer.text == "你好 <think>不算</think>"
        assert answer.tokens_out == count_tokens(thoughts)

    async def test_thoughts_without_an_answer_are_empty(self) -> None:
        assert isinstance(await fail(scripted(said("<think>好的好的好的"))), BadOutputError)

    async def test_content_in_parts(self) -> None:
        parts = [{"type": "text", "text": "你"}, {"type": "image"}, {"type": "text", "text": "好"}]
        assert (await scripted(said(parts)).complete(MESSAGES, purpose="chat")).text == "你好"

    async def test_a_lone_surrogate_is_sent_replaced(self, chat: OpenAIChat, server: OpenAIServer) -> None:
        await chat.complete([{"role": "user", "content": "a\ud83d\0b"}], purpose="chat")
        assert server.chat_requests[0].text == "a\ufffd\ufffdb"

    @pytest.mark.parametrize("slash", ["", "/", " "])
    async def test_base_url_with_or_without_slash(self, server: OpenAIServer, slash: str) -> None:
        chat = OpenAIChat(server.base_url + slash, "", "fake-chat", timeout=5.0)
        assert (await chat.complete(MESSAGES, purpose="chat")).text == "好的"
        assert "authorization" not in server.chat_requests[0].headers
        await chat.close()

    async def test_newer_name_of_the_limit_is_learnt(self) -> None:
        rejected = failed(400, "Unsupported parameter: use 'max_completion_tokens'", "unsupported_parameter")
        chat = scripted(rejected, said("ok"))
        for _ in range(2):
            await chat.complete(MESSAGES, purpose="chat", max_tokens=9)
        names = [[name for name in request if name.startswith("max")] for request in chat.sent]  # type: ignore[attr-defined]
        assert names == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]

    async def test_concurrency_is_limited(self, server: OpenAIServer) -> None:
        chat = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, concurrency=2)
        server.hold()
        calls = [asyncio.create_task(chat.complete(MESSAGES, purpose="chat")) for _ in range(5)]
        await server.wait_chats(2)
        await asyncio.sleep(0.05)  # time enough for a third one, if there were one
        assert len(server.chat_requests) == 2
        server.release()
        assert len(await asyncio.gather(*calls)) == 5
        await chat.close()


class TestErrors:
    @pytest.mark.parametrize(
        ("mode", "kind", "status"),
        [
            (401, ProviderAuthError, 401),
            (402, ProviderAuthError, 402),
            (403, ProviderDownError, 403),
            (404, ProviderDownError, 404),
            (400, ProviderDownError, 400),
            (429, ProviderBusyError, 429),
            (500, ProviderDownError, 500),
            (503, ProviderDownError, 503),
            ("html", ProviderDownError, 200),
            ("refused", ProviderRefusedError, None),
            ("content_filter", ProviderRefusedError, None),
            ("empty", BadOutputError, None),
        ],
    )
    async def test_each_kind(
        self, chat: OpenAIChat, server: OpenAIServer, mode: str | int, kind: type[ProviderError], status: int | None
    ) -> None:
        server.push(mode)
        error = await fail(chat)
        assert type(error) is kind
        assert error.status == status
        assert len(server.chat_requests) == 1
        content_only = isinstance(error, (ProviderRefusedError, BadOutputError))
        assert chat.state.ok is content_only
        if not content_only:
            assert chat.state.error is kind

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (
                failed(400, "Input data may contain inappropriate content.", "data_inspection_failed"),
                ProviderRefusedError,
            ),
            (failed(400, "系统检测到输入内容可能包含不安全或敏感内容", "1301"), ProviderRefusedError),
            (failed(403, "Your input was flagged"), ProviderRefusedError),
            (failed(400, "Access denied, account in good standing?", "Arrearage"), ProviderAuthError),
            (failed(429, "You exceeded your current quota", "insufficient_quota"), ProviderAuthError),
            (failed(429, "You exceeded your current quota"), ProviderBusyError),
            (failed(429, "Your current quota per minute is 3", "rate_limit"), ProviderBusyError),
            (failed(429, "您的账户已欠费，请充值后重试", 1113), ProviderAuthError),
            (failed(403, "用户额度不足", "insufficient_user_quota"), ProviderAuthError),
            (failed(400, "API key not valid", "Invalid_API_Key"), ProviderAuthError),
            (httpx.Response(403, json={"error": {"message": "", "type": "permission_error"}}), ProviderAuthError),
            (httpx.Response(403, json={"code": "AccountOverdueError"}), ProviderAuthError),
            (failed(500, "", "insufficient_quota"), ProviderAuthError),
            (failed(400, "maximum context length is 8192 tokens", "context_length_exceeded"), ProviderRefusedError),
            (failed(413), ProviderRefusedError),
            (failed(400, "field names are case-sensitive"), ProviderDownError),
            (failed(408), ProviderTimeoutError),
            (failed(302), ProviderDownError),
            (httpx.Response(400, json=[SECRET]), ProviderDownError),
            (httpx.Response(422, json={"detail": [{"input": "敏感 " + SECRET}]}), ProviderDownError),
            (httpx.Response(200, json={"error": {"message": "upstream", "code": 502}}), ProviderDownError),
            (httpx.Response(200, json={"error": {"message": "No", "code": 401}}), ProviderAuthError),
            (httpx.Response(200, json={"base_resp": {"status_msg": "input new_sensitive"}}), ProviderRefusedError),
            (httpx.Response(200, json={"choices": []}), BadOutputError),
            (httpx.Response(200, json={"choices": None, "error": None}), BadOutputError),
            (httpx.Response(200, json={"choices": [None]}), BadOutputError),
            (httpx.Response(200, json={"choices": [{"message": {"content": None}}]}), BadOutputError),
            (httpx.Response(200, json=[]), ProviderDownError),
            (httpx.Response(200, content=b"[" * 100_000), ProviderDownError),
            (said("", refusal="不行"), ProviderRefusedError),
            (httpx.ConnectError(KEY), ProviderDownError),
            (httpx.ReadError(SECRET), ProviderDownError),
            (httpx.ReadTimeout(KEY), ProviderTimeoutError),
            (RuntimeError("client closed"), ProviderDownError),
        ],
    )
    async def test_words_and_shapes_of_providers(
        self, answer: httpx.Response | Exception, kind: type[ProviderError]
    ) -> None:
        assert type(await fail(scripted(answer))) is kind

    async def test_the_providers_code_is_shown_unless_it_holds_the_key(self) -> None:
        assert "[model_not_found]" in str(await fail(scripted(failed(404, KEY, "model_not_found"))))
        assert "[some_error]" in str(await fail(scripted(failed(404, KEY, SECRET))))
        assert "[some_error]" in str(await fail(scripted(failed(404, "", KEY))))

    async def test_a_hanging_endpoint_costs_the_timeout(self, server: OpenAIServer) -> None:
        chat = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=1.0)
        server.push("hang")
        error = await fail(chat, schema=SCHEMA)
        assert isinstance(error, ProviderTimeoutError)
        assert not chat.state.ok
        assert len(server.chat_requests) == 1
        await chat.complete(MESSAGES, purpose="chat")
        assert chat.state.ok
        await chat.close()

    @pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "api.example.invalid", "http://[::1", "", "http://"])
    async def test_an_endpoint_that_is_not_there(self, url: str) -> None:
        chat = OpenAIChat(url, KEY, "m", timeout=5.0)
        assert isinstance(await fail(chat), ProviderDownError)
        await chat.close()

    @pytest.mark.parametrize("key", ["sk-１２３", "sk-1\n2"])
    async def test_a_key_that_cannot_be_sent(self, server: OpenAIServer, key: str) -> None:
        chat = OpenAIChat(server.base_url, key, "fake-chat", timeout=5.0)
        error = await fail(chat)
        assert isinstance(error, ProviderAuthError)
        assert key not in str(error)
        assert not server.chat_requests
        await chat.close()

    async def test_after_close(self, chat: OpenAIChat) -> None:
        await chat.close()
        assert isinstance(await fail(chat), ProviderDownError)

    async def test_a_client_passed_in_stays_open(self, server: OpenAIServer) -> None:
        async with httpx.AsyncClient() as client:
            chat = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, client=client)
            await chat.close()
            assert not client.is_closed


def forms(server: OpenAIServer) -> list[str]:
    return [(request.response_format or {"type": "prompt"})["type"] for request in server.chat_requests]


class TestStructuredOutput:
    async def test_a_schema_is_sent_as_such(self, chat: OpenAIChat, server: OpenAIServer) -> None:
        await chat.complete(MESSAGES, purpose="extract", schema=SCHEMA)
        sent = server.chat_requests[0].response_format
        assert sent is not None
        assert sent["json_schema"]["schema"] == SCHEMA
        assert server.chat_requests[0].messages == MESSAGES

    @pytest.mark.parametrize("status", [400, 404, 422, 500])
    async def test_json_object_is_remembered(self, chat: OpenAIChat, server: OpenAIServer, status: int) -> None:
        server.default_mode, server.no_format_status = "no_json_schema", status
        for _ in range(2):
            await chat.complete(MESSAGES, purpose="extract", schema=SCHEMA)
        assert forms(server) == ["json_schema", "json_object", "json_object"]
        system = server.chat_requests[-1].messages[0]
        assert system["content"].startswith("你是助手。")
        assert json.dumps(SCHEMA) in system["content"]
        assert chat.state.ok

    @pytest.mark.parametrize("status", [400, 404, 422])
    async def test_the_prompt_alone_is_remembered(self, chat: OpenAIChat, server: OpenAIServer, status: int) -> None:
        server.default_mode, server.no_format_status = "no_response_format", status
        for _ in range(2):
            await chat.complete(MESSAGES[1:], purpose="extract", schema=SCHEMA)
        assert forms(server) == ["json_schema", "json_object", "prompt", "prompt"]
        assert [message["role"] for message in server.chat_requests[-1].messages] == ["system", "user"]

    async def test_two_500_are_an_outage(self, chat: OpenAIChat, server: OpenAIServer) -> None:
        server.push(500, 500)
        assert isinstance(await fail(chat, schema=SCHEMA), ProviderDownError)
        assert forms(server) == ["json_schema", "json_object"]
        await chat.complete(MESSAGES, purpose="extract", schema=SCHEMA)
        assert forms(server)[2:] == ["json_schema"]

    @pytest.mark.parametrize("mode", [401, 402, 429, 503, "refused", "empty", "html"])
    async def test_other_failures_are_not_about_the_form(
        self, chat: OpenAIChat, server: OpenAIServer, mode: str | int
    ) -> None:
        server.push(mode)
        await fail(chat, schema=SCHEMA)
        assert len(server.chat_requests) == 1

    async def test_a_filtered_prompt_is_not_about_the_form(self) -> None:
        chat = scripted(failed(400, "", "content_filter"))
        assert isinstance(await fail(chat, schema=SCHEMA), ProviderRefusedError)
        assert len(chat.sent) == 1  # type: ignore[attr-defined]


class TestStop:
    @pytest.mark.parametrize("status", [401, 402])
    async def test_one_call_then_none(
        self, chat: OpenAIChat, server: OpenAIServer, clock: FakeClock, status: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        server.default_mode = status
        began = clock.now
        with caplog.at_level(logging.INFO):
            for _ in range(5):
                assert isinstance(await fail(chat), ProviderAuthError)
                clock.forward(minutes=10)
        assert len(server.chat_requests) == 1
        state = chat.state
        assert (state.ok, state.since, state.stopped, state.error) == (False, began, True, ProviderAuthError)
        assert state.problem
        ours = [record.message for record in caplog.records if record.name.startswith("nonebot_plugin_scoped_memory")]
        assert len(ours) == 1
        assert KEY not in caplog.text
        assert SECRET not in caplog.text

    @pytest.mark.parametrize(
        "answer",
        [
            httpx.Response(403, html="<html>Attention Required! | Cloudflare</html>"),
            httpx.Response(403),
            httpx.Response(403, json={"message": "Forbidden, check your API key: insufficient_quota"}),
            failed(403, "permission denied: insufficient balance", 403),
            failed(400, "invalid message: '我的卡余额不足，也欠费了'"),
            failed(429, "rate limit for: 'my balance is insufficient, insufficient_quota, arrears'"),
            httpx.Response(200, json={"error": {"message": "余额不足", "code": 403}}),
        ],
    )
    async def test_what_one_message_can_bring_about_stops_nobody(self, answer: httpx.Response) -> None:
        """A gateway's page for words that look like an attack, or an error that repeats the words."""
        chat = scripted(answer, said("好的"))
        error = await fail(chat)
        assert type(error) in (ProviderDownError, ProviderBusyError)
        assert not chat.state.stopped
        assert (await chat.complete(MESSAGES, purpose="chat")).text == "好的"

    async def test_one_probe_an_hour(self, chat: OpenAIChat, server: OpenAIServer, clock: FakeClock) -> None:
        server.default_mode = 401
        began = clock.now
        await fail(chat)
        for hour in range(1, 4):
            clock.forward(minutes=59)
            await fail(chat)
            assert len(server.chat_requests) == hour
            clock.forward(minutes=1)
            await fail(chat)
            await fail(chat)
            assert len(server.chat_requests) == hour + 1
        assert chat.state.since == began
        server.default_mode = "ok"
        clock.forward(hours=1)
        for _ in range(3):
            await chat.complete(MESSAGES, purpose="chat")
        assert chat.state.ok
        assert not chat.state.stopped

    async def test_resume_lets_one_through(self, chat: OpenAIChat, server: OpenAIServer) -> None:
        server.default_mode = 402
        await fail(chat)
        chat.resume()
        await fail(chat)
        await fail(chat)
        assert len(server.chat_requests) == 2
        server.default_mode = "ok"
        chat.resume()
        await chat.complete(MESSAGES, purpose="chat")
        assert chat.state.ok

    async def test_one_probe_at_a_time(self, server: OpenAIServer, clock: FakeClock) -> None:
        chat = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, concurrency=8, clock=clock)
        server.push(401)
        await fail(chat)
        clock.forward(hours=1)
        server.hold()
        calls = [asyncio.create_task(chat.complete(MESSAGES, purpose="chat")) for _ in range(8)]
        await server.wait_chats(2)
        server.release()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert len(server.chat_requests) == 2
        assert sum(isinstance(result, Completion) for result in results) == 1
        assert sum(isinstance(result, ProviderAuthError) for result in results) == 7
        await chat.complete(MESSAGES, purpose="chat")
        await chat.close()

    async def test_calls_that_waited_for_a_place_do_not_go_out(self, server: OpenAIServer) -> None:
        chat = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, concurrency=1)
        server.default_mode = 401
        results = await asyncio.gather(*(fail(chat) for _ in range(6)))
        assert len(results) == 6
        assert len(server.chat_requests) == 1
        await chat.close()

    async def test_a_probe_that_tells_nothing_waits_an_hour(
        self, chat: OpenAIChat, server: OpenAIServer, clock: FakeClock
    ) -> None:
        server.push(401, 503)
        await fail(chat)
        clock.forward(hours=1)
        assert isinstance(await fail(chat), ProviderDownError)
        assert isinstance(await fail(chat), ProviderAuthError)
        assert chat.state.error is ProviderAuthError
        assert len(server.chat_requests) == 2

    async def test_a_cancelled_probe_leaves_the_next_one_free(
        self, chat: OpenAIChat, server: OpenAIServer, clock: FakeClock
    ) -> None:
        server.push(401)
        await fail(chat)
        clock.forward(hours=1)
        server.hold()
        probe = asyncio.create_task(chat.complete(MESSAGES, purpose="chat"))
        await server.wait_chats(2)
        probe.cancel()
        with pytest.raises(asyncio.CancelledError):
            await probe
        server.release()
        assert (await chat.complete(MESSAGES, purpose="chat")).text == "好的"
