"""The chat model: a protocol, and a client for any OpenAI-compatible endpoint.

Answers are text. Servers ignore parts of a schema, so whoever asked for structured output validates what comes back.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .. import texts
from .endpoint import PROBE_EVERY, Endpoint, Health, ProviderState, bounded
from .errors import BadOutputError, ProviderAuthError, ProviderError, ProviderRefusedError
from .models import Clock, utc_now
from .places import Places
from .text import clean, count_tokens

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

Message = Mapping[str, str]
"""``role`` and ``content``."""

URGENT = frozenset({"chat"})
"""Purposes of calls that somebody waits for."""

_FORMS = ("json_schema", "json_object", "prompt")
_FORM_REJECTED = (400, 404, 422)
_MESSAGE_TOKENS = 4
"""What a message costs beside its text, when usage has to be estimated (role and separators)."""

_THINKING = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer. Tokens are the provider's figures; ``estimated`` if it gave none and they were counted here."""

    text: str
    tokens_in: int
    tokens_out: int
    estimated: bool


class ChatModel(Protocol):
    """Anything that answers a list of messages."""

    @property
    def name(self) -> str:
        """The model, as shown in status and usage."""
        ...

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        schema: Mapping[str, object] | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        """The answer to ``messages``, at most ``max_tokens`` long; with ``schema``, probably JSON that fits it.

        ``purpose`` says in errors what the call was for. Raises ProviderError and nothing else.
        """
        ...

    async def close(self) -> None: ...


class OpenAIChat:
    """A chat model behind ``{base_url}/chat/completions``.

    ``timeout`` bounds a whole call in seconds, from connecting to the last byte and over all forms that are tried; the
    wait for one of the ``concurrency`` places comes on top. Several clients may share their ``places``. There are no
    retries: callers decide.

    With a schema, three forms are tried in order: ``json_schema``, ``json_object`` with the schema in the prompt, the
    prompt alone. A form that the endpoint answers with 400, 404 or 422, or the first one with 500 in a call (some
    answer so to a form they do not know), gives way to the next; the form that worked is kept from then on.

    After a ProviderAuthError (401, 402, or a code that amounts to it) calls are stopped: ``complete`` raises it at
    once, but for one request an hour, or the next one after ``resume``, until an answer comes.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        *,
        timeout: float,
        concurrency: int = 2,
        places: Places | None = None,
        clock: Clock = utc_now,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self.name = model
        self._endpoint = Endpoint(base_url, api_key, client=client)
        self._timeout = timeout
        self._places = places or Places(concurrency)
        self._health = Health(clock)
        self._probing = False
        self._form = 0
        self._limit_name = "max_tokens"

    @property
    def state(self) -> ProviderState:
        """How the endpoint stands: as the last call left it, and whether calls are stopped."""
        return self._health.state

    def resume(self) -> None:
        """Let the next call through although calls are stopped."""
        self._health.resume()

    async def close(self) -> None:
        await self._endpoint.close()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        schema: Mapping[str, object] | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        """See ``ChatModel.complete``. An empty answer is a BadOutputError, a refusal or a filter ProviderRefusedError.

        A ``<think>`` block at the start of the answer is left out of its text, but counted in its tokens.
        """
        self._raise_if_stopped(purpose)
        async with self._places.take(urgent=purpose in URGENT):
            self._raise_if_stopped(purpose)  # it may have happened while this call waited
            probe = self._health.stopped
            self._probing = self._probing or probe
            try:
                return await bounded(self._ask(messages, purpose, schema, max_tokens), self._timeout, purpose)
            except ProviderError as error:
                self._note(error)
                raise
            finally:
                if probe:
                    self._probing = False

    def _raise_if_stopped(self, purpose: str) -> None:
        if self._health.stopped and (self._probing or not self._health.due):
            raise ProviderAuthError(purpose, f"calls are stopped: {self._health.state.problem}")

    def _note(self, error: ProviderError) -> None:
        if isinstance(error, ProviderAuthError):
            if self._health.stop(error, PROBE_EVERY):
                logger.warning(texts.LOG_CHAT_STOPPED, self.name, error)
        elif self._health.stopped:
            self._health.postpone(PROBE_EVERY)
        elif not isinstance(error, (ProviderRefusedError, BadOutputError)):
            self._health.note(error)

    async def _ask(
        self, messages: Sequence[Message], purpose: str, schema: Mapping[str, object] | None, max_tokens: int | None
    ) -> Completion:
        if schema is None:
            return await self._request(messages, {}, purpose, max_tokens)
        forms = range(self._form, len(_FORMS))
        outage = False
        for form in forms:
            try:
                answer = await self._request(*_in_form(_FORMS[form], messages, schema), purpose, max_tokens)
            except ProviderRefusedError:
                raise  # about the words, not about the form
            except ProviderError as error:
                rejected = error.status in _FORM_REJECTED or (error.status == 500 and not outage)
                if isinstance(error, ProviderAuthError) or form == forms[-1] or not rejected:
                    raise
                outage = outage or error.status == 500
            else:
                self._form = max(self._form, form)
                return answer
        raise AssertionError("unreachable")

    async def _request(
        self, messages: Sequence[Message], extra: Mapping[str, object], purpose: str, max_tokens: int | None
    ) -> Completion:
        sent = [{**message, "content": clean(message["content"])} for message in messages]
        payload: dict[str, object] = {"model": self.name, "messages": sent, **extra}
        body = await self._post(payload, purpose, max_tokens)
        self._health.worked()
        raw = _answer_text(body["choices"][0], purpose)
        usage = body.get("usage")
        tokens_in, tokens_out = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        text = _THINKING.sub("", raw).strip()
        if not text:
            raise BadOutputError(purpose, "the answer is empty")
        return Completion(
            text=text,
            tokens_in=_estimate(sent) if tokens_in is None else tokens_in,
            tokens_out=count_tokens(raw) if tokens_out is None else tokens_out,
            estimated=tokens_in is None or tokens_out is None,
        )

    async def _post(self, payload: Mapping[str, object], purpose: str, max_tokens: int | None) -> dict[str, Any]:
        limit_name = self._limit_name
        limit = {} if max_tokens is None else {limit_name: max_tokens}
        try:
            return await self._endpoint.post(
                "/chat/completions", {**payload, **limit}, purpose=purpose, expect="choices"
            )
        except ProviderError as error:
            # OpenAI's reasoning models know the limit only by its newer name, most others only by the older one.
            if limit_name not in limit or limit_name != "max_tokens" or "[unsupported_parameter]" not in error.problem:
                raise
        self._limit_name = "max_completion_tokens"
        return await self._post(payload, purpose, max_tokens)


def _in_form(
    form: str, messages: Sequence[Message], schema: Mapping[str, object]
) -> tuple[Sequence[Message], Mapping[str, object]]:
    """Messages and extra payload that ask for ``schema`` in this form."""
    if form == "json_schema":
        wanted = {"name": "answer", "schema": schema, "strict": True}
        return messages, {"response_format": {"type": "json_schema", "json_schema": wanted}}
    rule = (
        "Answer with one JSON object and nothing else: no prose, no code fence. It must fit this JSON schema:\n"
        + json.dumps(schema, ensure_ascii=False)
    )
    if messages and messages[0].get("role") == "system":
        first = {**messages[0], "content": f"{messages[0]['content']}\n\n{rule}"}
        messages = [first, *messages[1:]]
    else:
        messages = [{"role": "system", "content": rule}, *messages]
    return messages, {"response_format": {"type": "json_object"}} if form == "json_object" else {}


def _answer_text(choice: object, purpose: str) -> str:
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise BadOutputError(purpose, "the answer has no message")
    if choice.get("finish_reason") in ("content_filter", "sensitive"):  # the latter is Zhipu's word
        raise ProviderRefusedError(purpose, "stopped by a content filter")
    if message.get("refusal"):
        raise ProviderRefusedError(purpose, "the model declined")
    content = message.get("content")
    if isinstance(content, list):  # parts, as some gateways pass them on
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""


def _count(usage: object, name: str) -> int | None:
    figure = usage.get(name) if isinstance(usage, dict) else None
    return figure if isinstance(figure, int) and not isinstance(figure, bool) and figure >= 0 else None


def _estimate(messages: Sequence[Message]) -> int:
    return sum(count_tokens(message["content"]) + _MESSAGE_TOKENS for message in messages)
