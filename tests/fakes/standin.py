"""Stand-ins for the two models behind the fake server: an answer and a vector, both pure and the same every time."""

import hashlib
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import unescape

UNKNOWN = "这个我还不知道。"
"""The answer to a question on which the prompt says nothing."""

NOTED = "好的。"
"""The answer to a remark that is no question."""

_BLOCK = re.compile(r"^<memory\b[^\n]*>[ \t]*$\n(?P<lines>.*?)^</memory>[ \t]*$", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"[?？吗呢啥谁哪几]|什么|怎么|多少|为何|如何|记得|是不是|有没有|知道")
_EMPTY_WORDS = re.compile(
    r"什么|怎么|怎样|多少|为何|如何|记得|是不是|有没有|知道|一下|用户|我们|你们|告诉"
    r"|[的了吗呢啊吧呀嘛么是我你您他她它在有和与就都也还很请问谁哪几啥个这那叫不没说过想要会能去来到给被把对]"
)
_RUN = re.compile(r"[a-z0-9][a-z0-9+#._-]*|[\u3400-\u9fff]+")


def standin_reply(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return an answer in Chinese that uses nothing but the given messages of a chat completion request.

    It quotes the lines of the memory block that have most in common with the last user message; without one, the
    earlier words of a user; else it says :data:`UNKNOWN`, or :data:`NOTED` when nothing was asked.
    """
    words = [(str(message["role"]), content_text(message.get("content"))) for message in messages]
    said = [_BLOCK.sub("", text).strip() for role, text in words if role == "user"]
    said = [text for text in said if text]
    question = said.pop() if said else ""
    known = closest(question, (line for _, text in words for line in memory_lines(text)))
    if known:
        return f"我记得：{'；'.join(line.rstrip('。；') for line in known)}。"
    if not _QUESTION.search(question):
        return NOTED
    earlier = closest(question, (text for text in said if not _QUESTION.search(text)), limit=1)
    return f"刚才说过：“{earlier[0]}”" if earlier else UNKNOWN


def content_text(content: Any) -> str:
    """Return the text of a message's content, which is a string, a list of parts or None."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or [])


def memory_lines(text: str) -> list[str]:
    """Return the lines of the memory blocks in a text, unescaped and without their leading dash."""
    lines = (line for block in _BLOCK.finditer(text) for line in block["lines"].splitlines())
    return [unescape(line[2:].strip(), {"&quot;": '"', "&apos;": "'"}) for line in lines if line.startswith("- ")]


def without_memory(text: str) -> str:
    """Return a text without its memory blocks."""
    return _BLOCK.sub("", text)


def closest(question: str, lines: Iterable[str], limit: int = 3) -> list[str]:
    """Return the lines that share most with a question, best first; none where nothing but empty words is shared.

    Only lines with at least half of the best line's score count.
    """
    terms = _terms(question)
    scored = [(sum(len(term) ** 2 for term in terms if term in line.lower()), line) for line in dict.fromkeys(lines)]
    best = max((score for score, _ in scored), default=0)
    ranked = sorted((pair for pair in scored if pair[0] * 2 >= best > 0), key=lambda pair: -pair[0])
    return [line for _, line in ranked[:limit]]


def hash_embedding(text: str, dims: int) -> list[float]:
    """Return a unit vector in which each pair of neighbouring characters adds or takes 1 at a hashed place.

    Texts with pairs in common have a positive cosine, others about 0. An empty text has a vector too.
    """
    padded = f" {text.lower().strip()} "
    vector = [0.0] * dims
    for pair in itertools.pairwise(padded):
        digest = hashlib.blake2b("".join(pair).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        vector[int.from_bytes(digest[1:], "big") % dims] += 1.0 if digest[0] & 1 else -1.0
    norm = math.sqrt(sum(value * value for value in vector))
    if norm == 0.0:
        return [1.0] + [0.0] * (dims - 1)
    return [value / norm for value in vector]


def _terms(question: str) -> set[str]:
    """Return the pairs of characters of a question's Chinese runs, its one-character runs and its Latin words."""
    terms: set[str] = set()
    for run in _RUN.findall(_EMPTY_WORDS.sub(" ", question.lower())):
        if run.isascii() or len(run) == 1:
            terms.add(run)
        else:
            terms.update(run[index : index + 2] for index in range(len(run) - 1))
    return terms
