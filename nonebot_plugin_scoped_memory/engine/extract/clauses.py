"""A message cut into sentences and clauses for the rules, on folded text that still knows the original wording.

Also says which clauses cannot be taken at their word: questions, conditions, guesses, reported speech, jokes.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ..text import fold
from .lazy_pattern import LazyPattern

HIDDEN = "\ufffc"
"""Stands for each character of somebody else's quoted words."""

_HAN = "\u4e00-\u9fff"
# The name of an animal just mentioned, or the class of a relative, cannot stand alone.
_GOES_ON = r"(?:它?的?(?:名字|取名|起名|大名))?叫(?![我你他她它人醒])"
# Where speech that was written down without punctuation turns to something else.
_TURN = (
    rf"(?<=[啊呀哦哈啦诶])(?=就是|你们|大家|所以|然后|但是|因为|不过)|(?<=[{_HAN}]{{3}})(?=然后|但是|因为|所以(?!然)|"
    r"你们(?:有没有|有人|别|谁|呢|注意|点的?|要是|觉得|懂|知道|随意|快|可以)|大概[一两二三四五六七八九十几\d])"
)
# A space between Chinese characters separates clauses, unless what it would cut off cannot stand alone.
_CLAUSE_END = LazyPattern(
    rf"(?<!\d),(?!(?<=[猫狗鼠兔鸟龟鱼鸡犬咪基毛短偶英],)\s?{_GOES_ON})|(?<=\d),(?!\d)|"
    rf"(?<=[{_HAN}])(?<!喜欢)(?<!讨厌)(?<!记住)(?<!一下)(?<!记下)(?<!决定)(?<!全体成员)"
    rf"(?<![叫是爱怕写用]) +(?=[{_HAN}])(?!{_GOES_ON}|今年(?:[小初高大上读研幼\d]|"
    rf"[一二三四五六七八九十]))|(?<=[{_HAN}]) +(?=\d{{1,2}}岁)|(?<=[啦了吧啊呢哈哦]) +(?=叫)|{_TURN}"
)
_SENTENCE_END = LazyPattern(rf"[。!?\n;]+|\.{{2,}}|\.(?=\s|$)|(?<=[{_HAN}])\.(?=[{_HAN}])")
_QUOTED = LazyPattern(r"“[^”]*(?:”|$)|「[^」]*(?:」|$)|『[^』]*(?:』|$)|《[^》]*(?:》|$)|\"[^\"]*(?:\"|$)")
_SPEECH_BEFORE = LazyPattern(r"(?:[说问道讲唱写回喊]|:|said|says)\s*[:,]?\s*$")

_QUESTION = LazyPattern(
    r"吗|^(?!.{0,40}(?:还[要得有]|正在)).*呢\W*$|[么嘛]$|(?<!没)什么|(?<!没)啥|谁|(?<!不)怎么|"
    r"(?<!不)咋|干嘛|哪(?!吒|怕)|(?<!好)几(?![乎何])|多少|为何|"
    r"如何|是不是|"
    r"有没有|要不要|能不能|会不会|对不对|"
    r"行不行|行不$|可不可以|好不好|喜不喜欢|喜欢不喜欢|^(?:do|does|did|what|why|who|how|when|where|is|are|can|could|would|should)\b"
)
_CONDITION = LazyPattern(
    r"如果|要是|假如|假设|假使|万一|倘若|若是|除非|(?<!颜色)(?<!水果)(?<!电影)(?<!音乐)(?<!游戏)(?<!动"
    r"物)(?<!爱好)(?<!工作)(?<!专业)(?<!生日)(?<!我)的话|等我|等到|我想我会|\bif\b|\bsuppose\b|"
    r"\bunless\b"
)
_GUESS = LazyPattern(r"可能|也许|或许|大概|说不定|好像|似乎|貌似|估计|恐怕|\bmaybe\b|\bperhaps\b|\bwould\b|\bmight\b")
_SPEECH_END = LazyPattern(
    r"(?:(?<![话别实瞒])说|(?<!别)问|讲|喊|写道|以为|觉得|听说|据说|表示|告诉|梦见|said|says|asked|"
    r"told)(?:[我你他她它]|大家|过){0,2}:?$"
)
# Laughing at the end softens what is said; laughing more, or first, mocks it.
_JOKE = LazyPattern(
    r"谁不喜欢|谁不爱|并不[)）]?$|(?:百|千|万|\d{3})岁|我是一[只条头]|跑团|扮演|角色卡|月球|哈哈哈|嘿嘿|"
    r"哈哈(?![\s~!。.]*$)|hhh(?!h*[\s~!。.]*$)|233|狗头|doge|滑稽|开玩笑|玩笑|才怪|骗你|逗你|反话|呵呵|bushi|不是吧|"
    r"[♪♫🎵🎶😂🤣🐶]|歌词|打钱|v我?50|\blol\b|\blmao\b|kidding"
)
_OPEN_JOKE = LazyPattern(r"开玩笑|才怪|骗你|逗你|反话|狗头|doge|kidding")
_URL = LazyPattern(r"https?://|www\.")
_COMMAND = LazyPattern(r"\s*[/!#\\.](?=\w)")
_LEADS = (
    r"\[[^\[\]]{1,12}\]|e+m+|嗯+|呃+|哎呀?|唉+|诶+|欸+|嘿|额|哦+|啊+|好吧|说起来|说来惭愧|说来|更正一下|纠正一下|"
    r"更新一下|补充一下|报告一下|报告(?=[\s,:])|汇报一下|插一句|提一嘴|提一句|报一下(?:真名|名字|坐标|"
    r"生日)(?=[\s,:])|弱弱地?的?(?:说|讲)(?:一句|一下)?|悄悄说一?句?|"
    r"小声说一?句?|哦?对了|其实|话说回来|话说|那个|讲道理|说(?:句)?(?:实|真|老实)话|不得不说|其实吧|"
    r"要我说|依我看|说白了|老实(?:说|讲)|实话(?:实说|说)|不瞒你?们?说|"
    r"坦白(?:说|讲)|讲真的?|说真的|告诉你们?|跟你们?说(?:一下|个事)?(?:啊|哦)?|跟大家(?:说|讲)(?:一下|"
    r"个事)?|我?跟你们说一下啊?|"
    r"顺便(?:说|提|讲)(?:一下|一句|一嘴)?|忘了?记?说了?|先说好?|说一下|提醒一下(?=我)|怎么说呢?|"
    r"咱就是说|家人们|兄弟们|姐妹们|"
    r"笑死|救命|完了|天[呐哪啊]|差点忘了|自我介绍(?:一下)?|大家好[呀啊]?|你们?好|hi\b|hello\b|hey\b|反正|毕竟|"
    r"那就?说一下|不对|刚?打错了|刚?[说记搞]错了|不好意思|抱歉|更正"
)
# What may stand before a statement in its clause. Some of these words only join it to another.
_FILLER = LazyPattern(
    rf"(?:(?:{_LEADS}|就是(?=[\s我本])|因为|所以|而且|但是|但|不过|还有|另外|然后|"
    r"well\b|so\b|and\b|but\b|actually\b|btw\b|by the way\b)[\s,:~]*){1,3}"
)
LEAD = LazyPattern(rf"(?:(?:{_LEADS}|就是|然后)[\s,:~!]*){{1,3}}")
"""A clause that only introduces the next one."""

_DECORATION = LazyPattern(
    r"(?:\s*(?:\[[^\[\]]{1,12}\]|[(（~]|h{2,}|w{3,}|(?<!哈)哈哈(?!哈)|[^\s\w\ufffc,.:;、》」』”\"')）%+#*/-]))+\s*$"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` is the folded form of ``original``; ``places[i]`` is where its character i comes from."""

    text: str
    original: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, original: str) -> Folded:
        parts = [(folded, place) for place, ch in enumerate(original) for folded in _fold_character(ch)]
        return cls("".join(part for part, _ in parts), original, tuple(place for _, place in parts))

    def wording(self, start: int, end: int) -> str:
        """The original text of folded positions ``start`` to ``end``."""
        return self.original[self.places[start] : self.places[end - 1] + 1] if start < end else ""


@functools.lru_cache(maxsize=8_192)
def _fold_character(ch: str) -> str:
    return fold(ch)


@dataclass(frozen=True, slots=True)
class Clause:
    """Folded positions of a clause, past its fillers. ``unreal``: under a condition, or said by somebody else.
    ``doubtful``: unreal, or a question or guess: nothing in it may be taken as a statement."""

    start: int
    end: int
    unreal: bool
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    clauses: tuple[Clause, ...]
    end: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Message:
    """A message ready for the rules. ``folded.text`` has quoted speech hidden."""

    folded: Folded
    sentences: tuple[Sentence, ...]
    joking: bool
    openly_joking: bool


def is_command(text: str) -> bool:
    return _COMMAND.match(fold(text[:40])) is not None


def read(text: str) -> Message:
    """``text`` cut into sentences and clauses."""
    folded = Folded.of(text)
    visible = _QUOTED.sub(_hide_speech, folded.text)
    folded = Folded(visible, text, folded.places)
    sentences: list[Sentence] = []
    start = 0
    for end, stop, mark in [
        *((m.start(), m.end(), m[0]) for m in _SENTENCE_END.finditer(visible)),
        (len(visible),) * 2 + ("",),
    ]:
        if visible[start:end].strip():
            sentences.append(_sentence(visible, start, end, asks="?" in mark))
        start = stop
    return Message(
        folded, tuple(sentences), joking=bool(_JOKE.search(visible)), openly_joking=bool(_OPEN_JOKE.search(visible))
    )


def _hide_speech(match: re.Match[str]) -> str:
    """Quoted words are hidden if somebody is said to say them, or if they speak of an I; a quoted title stays."""
    inside = match[0][1:-1]
    before = match.string[max(0, match.start() - 12) : match.start()]
    if not _SPEECH_BEFORE.search(before) and "我" not in match[0] and not re.search(r"\bi\b", inside):
        return match[0]
    return match[0][0] + HIDDEN * (len(match[0]) - 1)


def _sentence(text: str, start: int, end: int, *, asks: bool) -> Sentence:
    clauses: list[Clause] = []
    unreal = False  # a condition or a speaker's name covers what follows it in the sentence
    bounds = [(m.start(), m.end()) for m in _CLAUSE_END.finditer(text, start, end)] + [(end, end)]
    for clause_end, stop in bounds:
        words = text[start:clause_end]
        unreal = unreal or bool(_CONDITION.search(words))
        doubtful = (
            unreal
            or bool(_QUESTION.search(words.strip()) or _GUESS.search(words.strip()) or _URL.search(words))
            or (asks and stop == end and clause_end == end)
        )
        first = start + len(words) - len(words.lstrip())
        filler = _FILLER.match(text, first, clause_end)
        if filler is not None and filler.end() < clause_end:
            first = filler.end()
        if words.strip():
            decoration = _DECORATION.search(text, first, clause_end)
            last = decoration.start() if decoration is not None and decoration.start() > first else clause_end
            clauses.append(Clause(first, last, unreal, doubtful))
        unreal = unreal or bool(_SPEECH_END.search(words.strip()) and not LEAD.fullmatch(words.strip()))
        start = stop
    return Sentence(tuple(clauses), end, asks)
