"""A chat client whose provider answers as told, and what its failures must never repeat."""

import json

import httpx
import pytest

from nonebot_plugin_scoped_memory.engine.errors import ProviderError
from nonebot_plugin_scoped_memory.engine.llm import OpenAIChat

KEY = "sk-canary-0123456789"
SECRET = "我的秘密是蓝色的大象"
MESSAGES = [{"role": "system", "content": "你是助手。"}, {"role": "user", "content": SECRET}]
SCHEMA = {"type": "object", "properties": {"items": {"type": "array"}}, "required": ["items"]}


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
