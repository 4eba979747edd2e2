"""What a provider means by an error answer: its status, codes and words, which every provider chooses for itself.

The words are looked at but never repeated: they may hold the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .errors import (
    ProviderAuthError,
    ProviderBusyError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)

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
_STATUSES: dict[int, tuple[type[ProviderError], str]] = {
    401: (ProviderAuthError, "the API key is not accepted"),
    402: (ProviderAuthError, "out of credit"),
    403: (ProviderDownError, "access is denied"),
    404: (ProviderDownError, "no such path or model: check the base URL and the model"),
    408: (ProviderTimeoutError, "no answer in time"),
    429: (ProviderBusyError, "too many requests"),
}


def failure(status: int, body: object, purpose: str, *, key: str) -> ProviderError:
    """The error that an answer with this status and JSON body stands for; it never repeats ``key``."""
    words, codes = error_words(body), _error_codes(body)
    code = next((f" [{c}]" for c in codes if _CODE.fullmatch(c) and c not in key), "")
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


def _error_parts(body: object) -> list[Mapping[str, Any]]:
    """Where providers put an error: ``error``, the body itself, or MiniMax's ``base_resp``."""
    if not isinstance(body, dict):
        return []
    return [part for part in (body.get("error"), body.get("base_resp"), body) if isinstance(part, dict)]


def error_words(body: object) -> str:
    """The provider's own words on an error. Not the whole body: some echo the prompt, whose words would mislead."""
    words = [part.get(name) for part in _error_parts(body) for name in ("code", "type", "message", "status_msg")]
    if isinstance(body, dict):
        words.append(body.get("error"))
    return " ".join(word[:500] for word in words if isinstance(word, str))


def _error_codes(body: object) -> list[str]:
    found = [part.get(name) for part in _error_parts(body) for name in ("code", "type")]
    return [str(code) for code in found if isinstance(code, (str, int)) and not isinstance(code, bool)]


def status_inside(body: Mapping[str, Any]) -> int | None:
    """The HTTP status that an error inside a 200 names."""
    return next((int(c) for c in _error_codes(body) if c.isdecimal() and len(c) == 3 and 400 <= int(c) < 600), None)
