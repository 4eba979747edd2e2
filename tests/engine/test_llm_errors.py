"""What each failure of a provider is taken for, over real HTTP and in every shape that providers give it."""

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
from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat
from tests.fakes.openai_server import OpenAIServer

from .providers import KEY, MESSAGES, SCHEMA, SECRET, fail, failed, said, scripted


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
