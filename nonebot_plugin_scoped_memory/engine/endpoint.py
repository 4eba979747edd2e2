"""What the chat and the embedding client share: one HTTP POST, the error it ends in, and when to ask again.

Nothing here repeats a word of what was sent or answered, nor the key: error texts are fixed phrases, with the
provider's own short error code where it gave one.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from .errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)
from .models import Clock

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

PROBE_EVERY = timedelta(hours=1)
"""How often a provider that refused the key is asked again."""

# Codes of errors that last until an operator acts; several providers report them under a status that says something
# else: DashScope an empty account as 400, OpenAI, Moonshot and Zhipu as 429, Volcengine and one-api as 403. Only codes:
# an error's message may repeat the prompt, and nobody may stop all calls by what they say.
_STOPPING = {
    **dict.fromkeys(
        (
            "insufficient_quota",  # OpenAI
            "credit_balance_exhausted",
            "billing_hard_limit_reached",
            "billing_not_active",
            "exceeded_current_quota_error",  # Moonshot
            "arrearage",  # DashScope
            "1113",  # Zhipu
            "accountoverdueerror",  # Volcengine
            "insufficient_user_quota",  # one-api and its kin
            "pre_consume_token_quota_failed",
            "insufficient_balance",
            "not_enough_balance",
        ),
        "out of credit",
    ),
    **dict.fromkeys(
        (
            "invalid_api_key",
            "invalidapikey",  # DashScope
            "authentication_error",  # Anthropic, DeepSeek
            "invalid_authentication_error",  # Moonshot
            "account_deactivated",
            "account_suspended",
            "permission_error",  # Anthropic
            "permission_denied",
            "permission_denied_error",  # Moonshot
            "unsupported_country_region_territory",  # OpenAI
        ),
        "access is denied",
    ),
}
# Words of providers' error messages; OpenRouter reports a flagged prompt as 403.
_FILTERED = re.compile(
    r"content[_ -]?(filter|policy)|data_?inspection|inappropriate content|(?<!case[ -])sensitive|moderation|flagged"
    r"|considered high risk|敏感|违规|不安全|不合规",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[_ ](length|window)|maximum context|too (long|many tokens)|less than \d+ tokens|input length|过长|超长"
    r"|超过.{0,12}(长度|上限|限制)",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{2,39}")


@dataclass(frozen=True, slots=True)
class ProviderState:
    """How a provider stands, for ``/memory status``.

    ``since`` is when it began to fail (UTC), ``error`` the kind of failure, ``stopped`` whether calls are held back.
    """

    ok: bool = True
    problem: str = ""
    since: datetime | None = None
    error: type[ProviderError] | None = None
    stopped: bool = False


class Health:
    """Remembers whether a provider works and, once calls to it are stopped, when the next probe is due."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: datetime | None = None
        self.state = ProviderState()

    @property
    def stopped(self) -> bool:
        return self._due is not None

    @property
    def due(self) -> bool:
        return self._due is not None and self._clock() >= self._due

    def note(self, error: ProviderError) -> None:
        """A call failed; calls go on."""
        self.state = ProviderState(False, error.problem, self.state.since or self._clock(), type(error), self.stopped)

    def stop(self, error: ProviderError, wait: timedelta) -> bool:
        """A call failed; no more calls for ``wait``. Returns whether they went on until now."""
        first = not self.stopped
        self._due = self._clock() + wait
        self.note(error)
        return first

    def postpone(self, wait: timedelta) -> None:
        """The probe of a stopped provider told nothing new."""
        if self.stopped:
            self._due = self._clock() + wait

    def resume(self) -> None:
        """The next probe is due now."""
        if self.stopped:
            self._due = self._clock()

    def worked(self) -> bool:
        """A call succeeded. Returns whether calls were stopped until now."""
        was_stopped = self.stopped
        self._due = None
        self.state = ProviderState()
        return was_stopped


async def bounded(call: Awaitable[T], seconds: float, purpose: str) -> T:
    """The result of ``call``, or ProviderTimeoutError after ``seconds``, when the call is cancelled."""
    try:
        return await asyncio.wait_for(call, seconds)
    except asyncio.TimeoutError:
        raise ProviderTimeoutError(purpose, f"no answer within {seconds:g} s") from None


class Endpoint:
    """An OpenAI-compatible base URL such as ``https://api.example.com/v1``, used as given but for a trailing slash.

    ``name`` is the URL without credentials and query, fit for logs and as a name of what it serves. A ``client`` that
    is passed in stays open at ``close``. Proxies come from the environment, but for an endpoint on this machine.
    """

    def __init__(self, base_url: str, api_key: str, *, client: httpx.AsyncClient | None = None) -> None:
        self._base = base_url.strip().rstrip("/")
        self._key = api_key.strip()
        self._client = client
        self._owned = client is None
        self._opening = asyncio.Lock()
        self._closed = False
        self.name, self._on_this_machine = _name_of(self._base)

    async def post(self, path: str, payload: Mapping[str, object], *, purpose: str, expect: str) -> dict[str, Any]:
        """POST ``payload`` as JSON and return the JSON object that came back; ``expect`` is the list it must hold.

        No time limit of its own: callers use ``bounded``. Every failure is a ProviderError:

        - 401, 402, or an error code that says the key or the account is at fault: ProviderAuthError;
        - no connection, 5xx, 404 and other 4xx without a meaning of their own, or a page that is no JSON object:
          ProviderDownError (nothing that was sent is at fault, an operator has to look). So does a 403 without such a
          code: a gateway's page, for an address it does not like or for one prompt that looks like an attack. As
          ProviderAuthError one member's message would stop all calls; as ProviderRefusedError a gateway that answers
          so to everything would use up all turns as refused. So it only makes the chat concerned wait and try again;
        - a prompt that is filtered or too long for the model: ProviderRefusedError (a part of it may pass);
        - an error inside a 200 counts as the status that it names, else as 400;
        - JSON without what was asked for: BadOutputError.
        """
        client = await self._open(purpose)
        import httpx

        try:
            response = await client.post(
                self._base + path,
                content=json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8"),
                headers=self._headers(purpose),
                timeout=None,
            )
        except httpx.TimeoutException:
            raise ProviderTimeoutError(purpose, "no answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError) as error:
            # httpx's own words may quote the URL or a header.
            raise ProviderDownError(purpose, f"cannot be reached ({type(error).__name__})") from None
        try:
            body = response.json()
        except (ValueError, RecursionError):
            body = None
        if not response.is_success:
            raise self._failure(response.status_code, body, purpose)
        if not isinstance(body, dict):
            # A gateway's page, or a base URL without its /v1. As bad output it would be blamed on the turns sent.
            problem = "what answers is no OpenAI-compatible API: check the base URL"
            raise ProviderDownError(purpose, problem, response.status_code)
        if not isinstance(body.get(expect), list) or not body[expect]:
            if _error_words(body):
                raise self._failure(_status_inside(body) or 400, body, purpose)
            raise BadOutputError(purpose, f"the answer has no {expect}", response.status_code)
        return body

    async def close(self) -> None:
        """Close the connections; later calls raise ProviderDownError."""
        self._closed = True
        if self._owned and self._client is not None:
            await self._client.aclose()

    def _headers(self, purpose: str) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            if not (self._key.isascii() and self._key.isprintable()):
                raise ProviderAuthError(purpose, "the API key holds characters that no key has")
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    async def _open(self, purpose: str) -> httpx.AsyncClient:
        async with self._opening:
            if self._closed:
                raise ProviderDownError(purpose, "the client is closed")
            if self._client is None:
                # Importing httpx and reading the certificates takes a few hundred milliseconds.
                try:
                    self._client = await asyncio.to_thread(_new_client, not self._on_this_machine)
                except (ImportError, ValueError, OSError, RuntimeError) as error:
                    problem = f"no HTTP client ({type(error).__name__}): check the proxy settings of the environment"
                    raise ProviderDownError(purpose, problem) from None
            return self._client

    def _failure(self, status: int, body: object, purpose: str) -> ProviderError:
        words, codes = _error_words(body), _error_codes(body)
        code = next((f" [{c}]" for c in codes if _CODE.fullmatch(c) and c not in self._key), "")
        stopping = next((_STOPPING[c.lower()] for c in codes if c.lower() in _STOPPING), "")
        if stopping:
            return ProviderAuthError(purpose, stopping + code, status)
        if status in (400, 403, 451) and _FILTERED.search(words):
            return ProviderRefusedError(purpose, f"stopped by a content filter{code}", status)
        if status == 413 or (status in (400, 422) and _TOO_LONG.search(words)):
            return ProviderRefusedError(purpose, f"longer than the model takes{code}", status)
        kind, problem = _STATUSES.get(status, (ProviderDownError, ""))
        if not problem:
            problem = "internal error" if status >= 500 else "the endpoint does not accept the request"
        return kind(purpose, problem + code, status)


_STATUSES: dict[int, tuple[type[ProviderError], str]] = {
    401: (ProviderAuthError, "the API key is not accepted"),
    402: (ProviderAuthError, "out of credit"),
    403: (ProviderDownError, "access is denied"),
    404: (ProviderDownError, "no such path or model: check the base URL and the model"),
    408: (ProviderTimeoutError, "no answer in time"),
    429: (ProviderBusyError, "too many requests"),
}


def _name_of(url: str) -> tuple[str, bool]:
    """``url`` without credentials and query, and whether it leads to this machine. A broken one fails when called."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        host = parts.hostname or ""
    except ValueError:
        return "(invalid URL)", False
    scheme = f"{parts.scheme}://" if parts.scheme else ""
    name = scheme + parts.netloc.rpartition("@")[2] + parts.path
    return name, host in ("localhost", "::1") or host.startswith("127.")


def _new_client(use_proxies: bool) -> httpx.AsyncClient:
    import httpx

    try:
        return httpx.AsyncClient(timeout=None, trust_env=use_proxies)
    except httpx.InvalidURL as error:
        raise ValueError("a proxy URL that cannot be read") from error


def _error_parts(body: object) -> list[Mapping[str, Any]]:
    """Where providers put an error: ``error``, the body itself, or MiniMax's ``base_resp``."""
    if not isinstance(body, dict):
        return []
    return [part for part in (body.get("error"), body.get("base_resp"), body) if isinstance(part, dict)]


def _error_words(body: object) -> str:
    """The provider's own words on an error. Not the whole body: some echo the prompt, whose words would mislead."""
    words = [part.get(name) for part in _error_parts(body) for name in ("code", "type", "message", "status_msg")]
    if isinstance(body, dict):
        words.append(body.get("error"))
    return " ".join(word[:500] for word in words if isinstance(word, str))


def _error_codes(body: object) -> list[str]:
    found = [part.get(name) for part in _error_parts(body) for name in ("code", "type")]
    return [str(code) for code in found if isinstance(code, (str, int)) and not isinstance(code, bool)]


def _status_inside(body: Mapping[str, Any]) -> int | None:
    return next((int(c) for c in _error_codes(body) if c.isdecimal() and len(c) == 3 and 400 <= int(c) < 600), None)
