"""Text as the memory compares it: normal form, index terms, identity, token counts, names.

Han text is indexed as single characters and neighbouring pairs, everything else as words; stop characters are left out
of the query only. On two Chinese retrieval sets this gave the best lexical recall, above word segmentation.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterable

ANALYSER_VERSION = 1
"""Goes up when ``document_terms`` changes; index rows of another version are rebuilt."""

MAX_INDEXED_CHARS = 8_000
"""Text beyond this is stored but not indexed."""

# Han characters, with the extensions that Unicode gives them; kana and hangul are indexed the same way.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u3040-\u30ff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    r"|(?P<number>\d+(?:[.:/-]\d+)+)"
    rf"|(?P<word>(?:[^\W_{_HAN}]|(?<=[^\W{_HAN}])[_'.](?=[^\W{_HAN}]))+[+#]*)"
    r"|(?P<symbol>[\u2190-\u2bff\u3200-\u32ff\U0001f000-\U0001faff])",
)
_WORD_PART = re.compile(r"[a-z]+|\d+|[^\W\d_a-z]+")

# Characters and words that say nothing of a topic. They are indexed, but a query does not look for them alone.
_STOP_CHARS = frozenset(
    "的了是在我你他她它们这那有和与就都也还很吗呢吧啊呀哦嗯么什谁哪怎几个不没会要想能可以把被给对到说去来上下得着过"
    "之其为于而或但因所如若则且并从向跟让做最再又只请问您咱俩些种样次位里中后前时候啥喜欢小大好多少一两二三今昨天用户"
)
_STOP_WORDS = frozenset(
    """
    a an the is are was were be been am i you he she it we they me my your his her its our their of in on at to for
    and or but not no do does did what who which when where why how this that these those with as by from so if then
    than there here have has had will would can could should may might must about into out up down like likes
    """.split()
)

_PUNCTUATION = re.compile(r"[\W_]+")
_MEANINGFUL_SIGN = re.compile(r"(?<=\w)[+#]+|[-.](?=\d)|[\u2190-\u2bff\U0001f000-\U0001faff]")
_NUMBER_OF_PERSON = re.compile(r"（\d{5,}）")
_PLAIN_BRACKETS = str.maketrans("（）", "()")
_WIDE = re.compile("[\u2e80-\U0010ffff]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Marks that turn the reading direction: nothing must show otherwise than it reads.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """``text`` with lone surrogates, NUL and control characters (but tab and newline) replaced by U+FFFD, and without
    marks that turn the reading direction."""
    return _CONTROL.sub("\ufffd", _SURROGATE.sub("\ufffd", _DIRECTION.sub("", text)))


@functools.lru_cache(maxsize=1)
def _simplified() -> dict[int, str]:
    """Character table Traditional -> Simplified. Loading takes about 0.15 s: ``warm`` does it off the loop."""
    from opencc import OpenCC

    block = "".join(map(chr, range(0x3400, 0xA000)))
    # One character a line, so that no phrase rule joins two of them.
    converted = OpenCC("t2s").convert("\n".join(block)).split("\n")
    return {ord(a): b for a, b in zip(block, converted, strict=True) if a != b and len(b) == 1}


def warm() -> None:
    """Load what the first call would otherwise load. Blocking; call it in a thread."""
    _simplified()


def fold(text: str) -> str:
    """Full width to half width, lower case, Simplified characters: the form in which text is compared."""
    return unicodedata.normalize("NFKC", clean(text)).casefold().translate(_simplified())


def _tokens(text: str) -> Iterable[tuple[str, str]]:
    for match in _TOKEN.finditer(fold(text[:MAX_INDEXED_CHARS])):
        yield match.lastgroup or "", match.group()


def _split_word(word: str) -> list[str]:
    """A word and, where it mixes letters and digits, its parts: ``rtx4090`` is also found by ``4090``."""
    parts = _WORD_PART.findall(word)
    return [word, *parts] if len(parts) > 1 else [word]


def document_terms(text: str) -> list[str]:
    """Index terms of a stored text, repetitions included."""
    terms: list[str] = []
    for kind, token in _tokens(text):
        if kind == "han":
            terms.extend(token)
            terms.extend(a + b for a, b in itertools.pairwise(token))
        else:
            terms.extend(_split_word(token))
    return terms


def query_terms(text: str) -> list[str]:
    """Terms that a question looks for: those of ``document_terms`` without stop characters and words, each once.

    A query of stop characters only (我是谁) keeps them, since it has nothing else.
    """
    terms = dict.fromkeys(document_terms(text))
    return [term for term in terms if not _is_stop(term)] or list(terms)


def topic_terms(text: str) -> frozenset[str]:
    """``query_terms`` without the fallback: empty if the text has no topic of its own."""
    return frozenset(term for term in document_terms(text) if not _is_stop(term))


def _is_stop(term: str) -> bool:
    return term in _STOP_WORDS or all(ch in _STOP_CHARS for ch in term)


def person(name: str, account: str) -> str:
    """How a person is named in an item: ``小明（10001）``; the number alone if the name shows nothing.

    The number tells two people of one name apart, and one person through a change of name.
    """
    number = _number(account)
    shown = shown_name(name).removesuffix(f"({number})").rstrip()  # as a mention of one of two namesakes has it
    return f"{shown}（{number}）" if shown and shown != number else number


@functools.lru_cache(maxsize=8_192)
def shown_name(name: str) -> str:
    """``name`` on one line without invisible characters, at most 40 characters; empty if it has no letter or digit.

    Full-width brackets become plain ones: nobody can bear the number of somebody else as ``person`` writes it.
    """
    visible = "".join(" " if ch.isspace() else ch for ch in clean(name) if unicodedata.category(ch) not in ("Cf", "Cc"))
    visible = " ".join(visible.translate(_PLAIN_BRACKETS).split())[:40]
    return visible if any(unicodedata.category(ch)[0] in "LN" for ch in visible) else ""


def _number(account: str) -> str:
    return account.rsplit(":", 1)[-1]


def without_numbers(content: str, accounts: Iterable[str] = ()) -> str:
    """``content`` without the account numbers that name people: what a reader elsewhere may see.

    Of ``accounts`` also numbers that stand alone, for want of a name, give way.
    """
    content = _NUMBER_OF_PERSON.sub("", content)
    for number in {_number(account) for account in accounts if ":" in account}:
        if number not in content:
            continue
        content = content.replace(f"（{number}）", "")
        if number.isdigit() and len(number) >= 5:
            content = re.sub(rf"(?<![0-9A-Za-z]){re.escape(number)}(?![0-9A-Za-z])", "某人", content)
    return content


def identity(content: str, subject: str = "", names: Iterable[str] = ()) -> str:
    """A digest that is equal for two wordings of one statement: punctuation, spaces, width, case and Traditional forms
    do not count, and neither does the subject's number with the name beside it, which may change. ``names`` are those
    that the subject may bear in ``content``; only the caller can tell a name from the words before it."""
    if subject:
        number = re.escape(_number(subject))
        name = "|".join(sorted({re.escape(shown_name(name)) for name in names} - {""}, key=len, reverse=True))
        content = re.sub(rf"(?:{name})（{number}）|^{number}(?![0-9A-Za-z])", "", content)
    folded = fold(content).replace("\ufffd", "")
    # +, # and signs before digits carry meaning (C++ is not C, -3 is not 3); emoji count too.
    kept = _MEANINGFUL_SIGN.sub(lambda m: f"s{ord(m.group()[0])}s" * len(m.group()), folded)
    return hashlib.blake2b(_PUNCTUATION.sub("", kept).encode(), digest_size=16).hexdigest()


def count_tokens(text: str) -> int:
    """An estimate on the safe side: one token for a Han character or symbol, one for four Latin letters.

    Within about 10 % above the counts of common BPE vocabularies on mixed Chinese text.
    """
    wide = sum(map(len, _WIDE.findall(text)))
    return wide + (len(text) - wide + 3) // 4


CUT_NOTE = "…（后面还有 {left} 字，略）"
"""What a model reads where words were left out for their length."""


def cut_with_note(text: str, limit: int, note: str = CUT_NOTE) -> str:
    """The first ``limit`` characters of ``text``, and ``note`` with the number of those that are ``left``, if any.

    Lines stay as they are; ``cut`` is for one line that must not be longer.
    """
    left = len(text) - limit
    return text if left <= 0 else text[:limit].rstrip() + note.format(left=left)


def cut(text: str, limit: int) -> str:
    """``text`` on one line, at most ``limit`` characters, with … where it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
