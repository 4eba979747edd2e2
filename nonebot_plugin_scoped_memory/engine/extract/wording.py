"""How an item is worded: in the third person, readable on its own, naming who it is about or who said it."""

from __future__ import annotations

import re

# Words in which 我 means nobody in particular, or more people than the speaker.
_I = re.compile(r"(?<!自)我(?!们|們|国|國|行我素|方)")
_MY_RELATIVE = re.compile(
    r"(?<!自)我(?=[妈媽爸爷爺奶姐妹哥弟舅姑姨叔]|外公|外婆|老[公婆师師板]|女儿|女兒|儿子|兒子|男友|女友)"
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|\"[^\"]*\"")
_PRONOUN_AT_START = re.compile(
    r"(?:(?:该|该名|这位|此|本)?用户(?![名群组端体协数画权])|本人(?![类群])|(?:TA|ta|Ta)(?![A-Za-z])|[他她它](?![们們人国國])"
    r"|我(?![们們国國]))\s*"
)


def first_to_third(text: str, who: str) -> str:
    """``text`` with the speaker's 我 replaced by ``who`` (我的 becomes ``who`` + 的). Quoted words stay as they are.

    >>> first_to_third("我的猫怕我妈", "小明（10001）")
    '小明（10001）的猫怕小明（10001）的妈'
    """
    result: list[str] = []
    position = 0
    for quoted in _QUOTED.finditer(text):
        result += [_replace_first_person(text[position : quoted.start()], who), quoted[0]]
        position = quoted.end()
    return "".join([*result, _replace_first_person(text[position:], who)])


def _replace_first_person(text: str, who: str) -> str:
    return _I.sub(lambda _: who, _MY_RELATIVE.sub(lambda _: f"{who}的", text))


def about(content: str, who: str, name: str = "") -> str:
    """``content`` with ``who`` in it: in place of a leading pronoun or bare ``name``, else in front of it.

    >>> {about(content, "小明（10001）", "小明") for content in ("该用户喜欢猫", "喜欢猫", "小明喜欢猫")}
    {'小明（10001）喜欢猫'}
    """
    if who in content:
        return content
    if name and content.startswith(name):
        return who + content[len(name) :].lstrip()
    if pronoun := _PRONOUN_AT_START.match(content):
        return who + content[pronoun.end() :]
    return join(who, content)


def report(content: str, reporter: str) -> str:
    """``content`` as hearsay: ``据小红（10002）说，…``, unless it already says that ``reporter`` said it."""
    # Exactly this person, perhaps by an older name. 据小红（10002）对小明说 names a source the speaker made up.
    number = re.escape(reporter.rsplit("（", 1)[-1].rstrip("）"))
    who = rf"(?:{re.escape(reporter)}|[^，。,\s（）]{{1,40}}（{number}）)"
    saying = rf"据?\s?{who}\s?(?:所?(?:说|說)|提到|提及|表示|称|稱|讲|透露|听说|觉得|认为)"
    return content if re.match(saying, content) else f"据{reporter}说，{content}"


def join(who: str, predicate: str) -> str:
    """``who`` and what follows, with a space where a Latin word follows."""
    return f"{who} {predicate}" if predicate[:1].isascii() and predicate[:1].isalpha() else who + predicate
