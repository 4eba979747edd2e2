"""Secrets in chat text: what must not be stored, and what nobody should remember of somebody else.

Patterns follow published formats: GB 11643-1999 (identity numbers with their check character), ISO/IEC 7812 (card
numbers with the Luhn digit), RFC 7519 (JWT), RFC 7468 (PEM), and the key prefixes that providers document. Every
repetition in a pattern is bounded or followed by nothing it could share characters with, so the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .lazy_pattern import LazyPattern

PASSWORD = "密码"
TOKEN = "密钥"
IDENTITY_NUMBER = "身份证号"
BANK_CARD = "银行卡号"
VERIFICATION_CODE = "验证码"

_PLACEHOLDER = LazyPattern(r"(\[已隐去:[^\[\]\n]{1,12}\])")
# Hiding one secret can free the boundary of another beside it; more rounds than this were never needed.
_MAX_ROUNDS = 6

_HAN = "\u4e00-\u9fff"
_VISIBLE = "!-~\uff10-\uff19\uff20-\uff3a\uff3f-\uff5a"  # ASCII without space, full-width letters and digits
_ASCII = "[A-Za-z0-9_-]"  # not \w: a Chinese character may stand right beside a key
_PASSWORD_WORD = (
    r"(?:(?:密码|密碼|口令)(?![学學本锁鎖箱门門])|password|passcode|passphrase|passwd|(?<![a-z])pwd|"
    r"(?<![a-z])pass(?=\s?[:=]))"
)
# What follows "the password is" without being one.
_ENGLISH_PREDICATES = (
    r"(?:wrong|incorrect|correct|right|required|invalid|expired|too|not|no|a|an|the|my|your|his|her|our|same|stored|"
    r"hashed|encrypted|safe|secure|weak|strong|empty|missing|needed|always|still|what|in|on|for|set|case|something)\b"
)
_UNIT = r"[年月日号號时時分秒元块塊个個位条條次天度级級%％]"


@dataclass(frozen=True, slots=True)
class _Pattern:
    """``expression`` marks the secret with the group ``v``; ``accept`` looks at it once more."""

    kind: str
    expression: LazyPattern
    accept: Callable[[str], bool] = lambda value: bool(value)


def _has_digit(value: str) -> bool:
    return any(ch.isdigit() for ch in value)


def _has_letter_or_digit(value: str) -> bool:
    return any(ch.isalnum() for ch in value)


def _looks_random(value: str) -> bool:
    """Whether a value after a word such as "token" is one: long, or letters and digits mixed."""
    letters = any(ch.isalpha() for ch in value)
    return len(value) >= 32 or (letters and _has_digit(value) and len(value) >= 8)


def _is_identity_number(value: str) -> bool:
    """Birth date and check character of GB 11643-1999 (ISO 7064 mod 11-2)."""
    digits = value.replace(" ", "").replace("-", "").upper().replace("Ｘ", "X")
    month, day = int(digits[10:12]), int(digits[12:14])
    if digits[6:8] not in ("18", "19", "20") or not (1 <= month <= 12 and 1 <= day <= 31):
        return False
    total = sum(int(ch) * pow(2, 17 - place, 11) for place, ch in enumerate(digits[:17]))
    return "10X98765432"[total % 11] == digits[17]


def _is_card_number(value: str) -> bool:
    """Luhn digit of ISO/IEC 7812. First digits 0 to 2 are no bank cards (ids of chat platforms begin with 1)."""
    digits = [int(ch) for ch in value if ch.isdigit()]
    if not 16 <= len(digits) <= 19 or digits[0] < 3 or len(set(digits)) == 1:
        return False
    digits.reverse()
    return sum(sum(divmod(digit * 2, 10)) if place % 2 else digit for place, digit in enumerate(digits)) % 10 == 0


def _any_case(pattern: str) -> LazyPattern:
    return LazyPattern(pattern, re.IGNORECASE)


_PATTERNS: tuple[_Pattern, ...] = (
    _Pattern(
        TOKEN,
        _any_case(
            r"(?P<v>-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\sA-Za-z0-9+/=]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?)"
        ),
    ),
    _Pattern(TOKEN, _any_case(rf"(?<!{_ASCII})(?P<v>eyJ{_ASCII}{{5,}}\.{_ASCII}{{5,}}(?:\.{_ASCII}*)?)")),
    _Pattern(
        TOKEN,
        LazyPattern(
            rf"(?<!{_ASCII})(?P<v>(?:sk-|gh[opusr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|hf_|npm_|pypi-|LTAI|AKID)"
            rf"{_ASCII}{{8,}})"
        ),
        lambda value: _has_digit(value) or len(value) >= 40,
    ),
    _Pattern(TOKEN, _any_case(r"(?<![a-z])(?:bearer|basic)\s{1,3}(?P<v>[a-z0-9_.~+/=-]{8,})"), _looks_random),
    _Pattern(
        TOKEN,
        _any_case(
            r"(?:token|secret|api[ _-]?key|(?:access|secret|app|client)[ _-]?(?:key|secret)|"
            r"密钥|密鑰|秘钥|私钥|令牌|凭证)"
            rf"(?![a-z])[\"'”]?\s{{0,3}}[{_HAN}]{{0,6}}\s{{0,3}}[:=：＝]?\s{{0,3}}[\"'“`「]?(?P<v>[a-z0-9_+/=.\-]{{8,}})"
        ),
        _looks_random,
    ),
    _Pattern(PASSWORD, _any_case(r"://[^\s/:@]{1,64}:(?P<v>[^\s/@]{1,128})@")),
    _Pattern(
        PASSWORD,
        _any_case(
            rf"{_PASSWORD_WORD}[\"'”]?\s{{0,3}}(?:[（(][^（）()\n]{{0,12}}[）)])?(?:是|为|為)?\s{{0,3}}[:=：＝]\s{{0,3}}"
            rf"[\"'“「【]?(?P<v>[{_VISIBLE}]+)"
        ),
        _has_letter_or_digit,
    ),
    _Pattern(
        PASSWORD,
        _any_case(
            rf"{_PASSWORD_WORD}\s{{0,3}}(?:[{_HAN}]{{0,8}}[是为為成叫]了?)\s{{0,3}}[\"'“「【『]?(?P<v>[{_VISIBLE}]{{3,}})"
        ),
        _has_letter_or_digit,
    ),
    _Pattern(
        PASSWORD,
        _any_case(
            rf"{_PASSWORD_WORD}\s{{1,3}}(?:is|was)\s{{1,3}}(?:now\s)?[\"']?(?!{_ENGLISH_PREDICATES})(?P<v>[{_VISIBLE}]{{3,}})"
        ),
        _has_letter_or_digit,
    ),
    _Pattern(
        PASSWORD,
        _any_case(rf"{_PASSWORD_WORD}\s{{0,2}}[「【“]?(?P<v>[{_VISIBLE}]{{4,}})(?!\s{{0,2}}{_UNIT})"),
        _has_digit,
    ),
    _Pattern(
        PASSWORD,
        _any_case(
            rf"(?<![{_VISIBLE}])(?P<v>[{_VISIBLE}]{{4,128}})\s{{0,2}}就?是(?:我|你|他|她|这里|家里|公司|办公室)?的?"
            r"(?:新|旧|登录|支付|开机|wifi|无线)?(?:密码|密碼|口令)(?=$|[\s，。！!,.；;哦啊呀哈、）)])"
        ),
        _has_digit,
    ),
    _Pattern(
        IDENTITY_NUMBER,
        _any_case(r"(?<!\d)(?P<v>\d{6}[ -]?\d{8}[ -]?\d{3}[\dXＸ])(?![\da-z])"),
        _is_identity_number,
    ),
    _Pattern(
        BANK_CARD,
        _any_case(r"(?<!\d)(?<!\d[ -])(?P<v>\d{16,19}|\d{4}(?:[ -]\d{4}){3}(?:[ -]?\d{1,3})?|\d{6} \d{13})(?!\d)"),
        _is_card_number,
    ),
    _Pattern(
        VERIFICATION_CODE,
        _any_case(
            r"(?:验证码|驗證碼|校验码|校驗碼|动态码|動態碼|短信码|verification code|security code|"
            r"(?<![a-z])otp(?![a-z]))"
            r"[^\d\n]{0,12}"
            rf"(?P<v>(?<!\d)\d{{4,8}})(?!\d)(?!\s{{0,2}}{_UNIT})"
        ),
    ),
    _Pattern(
        VERIFICATION_CODE,
        _any_case(r"(?:验证码|驗證碼|校验码|校驗碼)[是为為]?\s?[:：]?\s?(?P<v>[0-9a-z]{4,8})(?![0-9a-z])"),
        _has_digit,
    ),
    _Pattern(
        VERIFICATION_CODE,
        _any_case(rf"(?<!\d)(?P<v>\d{{4,8}})\s?(?:是|为|為|[（(])\s?[{_HAN}]{{0,8}}(?:验证码|驗證碼|校验码|校驗碼)"),
    ),
)

_PHONE = LazyPattern(
    r"(?<!\d)(?:\+?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?!\d)|(?<!\d)1[3-9]\d{2}[ -]\d{3}[ -]\d{4}(?!\d)"
    r"|(?<!\d)0\d{2,3}-\d{7,8}(?!\d)"
)
_NUMERAL = "[0-9０-９一二三四五六七八九十百零〇]{1,5}"
_ADDRESS = LazyPattern(
    rf"[{_HAN}](?:路|街|大道|巷|弄|胡同|里弄)\s?{_NUMERAL}\s?(?:号|號|弄|巷)(?![线線])"
    rf"|(?:小区|小區|花园|花園|公寓|大厦|大廈|家园|家園|新村|嘉园|苑|城|宿舍)[{_HAN}\s]{{0,4}}{_NUMERAL}\s?"
    r"(?:栋|棟|幢|号楼|號樓|座|单元|單元|室)"
    rf"|{_NUMERAL}\s?(?:栋|棟|幢|号楼|號樓|单元|單元)\s?[{_HAN}]?{_NUMERAL}\s?(?:单元|單元|室|房|号|號)"
    r"|(?<!\d)\d{1,5} [A-Z][a-z]{1,20} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Blvd)\b"
)


def mask(text: str) -> str:
    """``text`` with every secret replaced by a placeholder such as ``[已隐去:密码]``. Masking twice changes nothing."""
    for _ in range(_MAX_ROUNDS):
        masked = _mask_once(text)
        if masked == text:
            break
        text = masked
    return text


def _mask_once(text: str) -> str:
    for pattern in _PATTERNS:

        def hide(match: re.Match[str], pattern: _Pattern = pattern) -> str:
            if not pattern.accept(match["v"]):
                return match[0]
            start, end = match.start("v") - match.start(), match.end("v") - match.start()
            return f"{match[0][:start]}[已隐去:{pattern.kind}]{match[0][end:]}"

        # Odd parts are placeholders: they are no secrets, and stand as borders between what is left.
        parts = _PLACEHOLDER.split(text)
        text = "".join(part if place % 2 else pattern.expression.sub(hide, part) for place, part in enumerate(parts))
    return text


def find_secret(text: str) -> str | None:
    """The kind of the first secret in ``text``, such as ``密码``, also of a masked one; None if there is none."""
    found = _PLACEHOLDER.search(mask(text))
    return found[1][len("[已隐去:") : -1] if found else None


def private_contact(text: str) -> bool:
    """Whether ``text`` holds a phone number or a street address. Account numbers that look like one count too: take
    known ones out before."""
    return bool(_PHONE.search(text) or _ADDRESS.search(text))
