"""A provider that refuses the key is not called again until its probe is due."""

import asyncio
import logging

import httpx
import pytest

from nonebot_plugin_scoped_memory.engine.errors import ProviderAuthError, ProviderBusyError, ProviderDownError
from nonebot_plugin_scoped_memory.engine.llm import Completion, OpenAIChat
from tests.fakes.openai_server import OpenAIServer

from .helpers import HandClock
from .providers import KEY, MESSAGES, SECRET, fail, failed, said, scripted


class TestStop:
    @pytest.mark.parametrize("status", [401, 402])
    async def test_one_call_then_none(
        self, chat: OpenAIChat, server: OpenAIServer, clock: HandClock, status: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        server.default_mode = status
        began = clock.now
        with caplog.at_level(logging.INFO):
            for _ in range(5):
                assert isinstance(await fail(chat), ProviderAuthError)
                clock.move(minutes=10)
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

    async def test_one_probe_an_hour(self, chat: OpenAIChat, server: OpenAIServer, clock: HandClock) -> None:
        server.default_mode = 401
        began = clock.now
        await fail(chat)
        for hour in range(1, 4):
            clock.move(minutes=59)
            await fail(chat)
            assert len(server.chat_requests) == hour
            clock.move(minutes=1)
            await fail(chat)
            await fail(chat)
            assert len(server.chat_requests) == hour + 1
        assert chat.state.since == began
        server.default_mode = "ok"
        clock.move(hours=1)
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

    async def test_one_probe_at_a_time(self, server: OpenAIServer, clock: HandClock) -> None:
        chat = OpenAIChat(server.base_url, KEY, "fake-chat", timeout=5.0, concurrency=8, clock=clock)
        server.push(401)
        await fail(chat)
        clock.move(hours=1)
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
        self, chat: OpenAIChat, server: OpenAIServer, clock: HandClock
    ) -> None:
        server.push(401, 503)
        await fail(chat)
        clock.move(hours=1)
        assert isinstance(await fail(chat), ProviderDownError)
        assert isinstance(await fail(chat), ProviderAuthError)
        assert chat.state.error is ProviderAuthError
        assert len(server.chat_requests) == 2

    async def test_a_cancelled_probe_leaves_the_next_one_free(
        self, chat: OpenAIChat, server: OpenAIServer, clock: HandClock
    ) -> None:
        server.push(401)
        await fail(chat)
        clock.move(hours=1)
        server.hold()
        probe = asyncio.create_task(chat.complete(MESSAGES, purpose="chat"))
        await server.wait_chats(2)
        probe.cancel()
        with pytest.raises(asyncio.CancelledError):
            await probe
        server.release()
        assert (await chat.complete(MESSAGES, purpose="chat")).text == "好的"
