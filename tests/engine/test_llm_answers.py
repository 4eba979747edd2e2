"""What the chat client sends, also for structured output, and what it makes of answers."""

import asyncio
import json

import httpx
import pytest

from nonebot_plugin_scoped_memory.engine.errors import BadOutputError, ProviderDownError, ProviderRefusedError
from nonebot_plugin_scoped_memory.engine.llm import Completion, OpenAIChat
from nonebot_plugin_scoped_memory.engine.text import count_tokens
from tests.fakes.openai_server import OpenAIServer

from .providers import KEY, MESSAGES, SCHEMA, fail, failed, said, scripted


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
