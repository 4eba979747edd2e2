"""What the chat and the embedding client share: one HTTP POST, the error it ends in, and when to ask again.

Nothing here repeats a word of what was sent or answered, nor the key: error texts are fixed phrases, with the
provider's own short error code where it gave one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from .errors import BadOutputError, ProviderAuthError, ProviderDownError, ProviderError, ProviderTimeoutError
from .models import Clock
from .provider_errors import error_words, failure, status_inside

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

PROBE_EVERY = timedelta(hours=1)
"""How often a provider that refused the key is asked again."""


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
            raise failure(response.status_code, body, purpose, key=self._key)
        if not isinstance(body, dict):
            # A gateway's page, or a base URL without its /v1. As bad output it would be blamed on the turns sent.
            problem = "what answers is no OpenAI-compatible API: check the base URL"
            raise ProviderDownError(purpose, problem, response.status_code)
        if not isinstance(body.get(expect), list) or not body[expect]:
            if error_words(body):
                raise failure(status_inside(body) or 400, body, purpose, key=self._key)
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
