"""What a chat or embedding request holds, and the bodies that the fake server answers with, good and bad."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .standin import content_text, hash_embedding, without_memory

CHAT_MODES = frozenset(
    {
        "ok",
        "hang",  # no answer until the server stops
        "prose",  # the answer inside Chinese prose that has braces of its own
        "fenced",  # in a Markdown code block
        "list_root",  # only the list of the first member that is one
        "truncated",  # cut in the middle, finish_reason "length"
        "bad_escape",  # with escapes that JSON does not know
        "refused",  # a refusal in place of content
        "content_filter",  # no content, finish_reason "content_filter"
        "empty",  # an empty string
        "html",  # status 200 and a gateway's HTML page
        "no_json_schema",  # an error for response_format json_schema, else ok
        "no_response_format",  # an error for any response_format, else ok
    }
)
EMBEDDING_MODES = frozenset({"ok", "hang", "empty", "short", "html"})
"""``empty`` has no vectors, ``short`` one too few."""

ERROR_TYPES = {401: "invalid_api_key", 402: "insufficient_balance", 429: "rate_limit_exceeded"}


@dataclass(frozen=True)
class ChatRequest:
    """A request for a chat completion, as it came."""

    messages: list[dict[str, Any]]
    model: str
    response_format: dict[str, Any] | None
    headers: dict[str, str]
    json: dict[str, Any]

    @property
    def text(self) -> str:
        """The contents of all messages, one after another."""
        return "\n".join(content_text(message.get("content")) for message in self.messages)

    @property
    def wants_json(self) -> bool:
        """Whether it asks for JSON: by its response format, or in words of a system message or the last message.

        A memory block does not count; in the last message the word alone is not enough, it must name ``"items"``.
        """
        if self.response_format is not None:
            return self.response_format.get("type") != "text"
        texts = [(message["role"], without_memory(content_text(message.get("content")))) for message in self.messages]
        last = texts[-1][1] if texts else ""
        asked = any(role in ("system", "developer") and "json" in text.lower() for role, text in texts)
        return asked or ("json" in last.lower() and '"items"' in last)


Mode: TypeAlias = str | int | Callable[[ChatRequest], str]
"""How a chat call ends: the name of a mode, an HTTP status, or a function that gives the answer's text."""


@dataclass(frozen=True)
class EmbeddingRequest:
    """A request for embeddings, as it came."""

    inputs: list[str]
    model: str
    headers: dict[str, str]
    json: dict[str, Any]


def error_body(status: int, message: str = "") -> dict[str, Any]:
    """Return the body of an OpenAI-style error."""
    kind = ERROR_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message or f"fake error {status}", "type": kind, "param": None, "code": kind}}


def chat_body(request: ChatRequest, mode: str, content: str, number: int) -> dict[str, Any]:
    """Return the body of a completion whose content went wrong in the way of ``mode``; usage is left out."""
    message: dict[str, Any] = {"role": "assistant", "content": spoil(content, mode)}
    finish_reason = {"truncated": "length", "content_filter": "content_filter"}.get(mode, "stop")
    if mode == "refused":
        message["refusal"] = "抱歉，我不能处理这段内容。"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}],
    }


def spoil(content: str, mode: str) -> str | None:
    """Return an answer's text as a model in the given mode would write it."""
    if mode == "prose":
        return f"好的，我看完了这段{{闲聊}}，结果如下。\n{{闲聊}}: {content}\n以上就是{{全部}}结果，还需要别的吗？"
    if mode == "fenced":
        return f"```json\n{content}\n```"
    if mode == "list_root":
        return _list_root(content)
    if mode == "truncated":
        return content[: max(1, len(content) // 2)]
    if mode == "bad_escape":
        return '{"note": "C:\\data\\_x \\\'好\\\'", ' + content.lstrip()[1:]
    if mode in ("refused", "content_filter"):
        return None
    return "" if mode == "empty" else content


def embedding_body(inputs: list[str], model: str, dims: int, mode: str | int) -> dict[str, Any]:
    """Return the body of an embeddings answer, with the vectors that ``mode`` leaves out missing; usage too."""
    vectors = [hash_embedding(text, dims) for text in inputs]
    if mode in ("empty", "short"):
        vectors = vectors[:-1] if mode == "short" else []
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return {"object": "list", "data": data, "model": model}


def usage(prompt: str, completion: str | None = None) -> dict[str, int]:
    """Return token counts as a server reports them, a character for a token; embeddings have no completion."""
    counts = {"prompt_tokens": len(prompt), "total_tokens": len(prompt) + len(completion or "")}
    return counts if completion is None else {**counts, "completion_tokens": len(completion)}


def refuses_format(mode: str, response_format: Mapping[str, Any] | None) -> bool:
    """Return whether a server in this mode cannot serve this response format."""
    if response_format is None:
        return False
    return mode == "no_response_format" or (mode == "no_json_schema" and response_format.get("type") == "json_schema")


def _list_root(content: str) -> str:
    try:
        value = json.loads(content)
    except ValueError:
        return f"[{json.dumps(content)}]"
    if isinstance(value, dict):
        value = next((member for member in value.values() if isinstance(member, list)), [value])
    return json.dumps(value, ensure_ascii=False)
