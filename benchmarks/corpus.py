"""What the benchmarks run on: real sentences and questions, and how many of them each scope gets.

The public data sets are read where they lie, never copied. Without them a small built-in list of sentences stands in,
which is enough to see that everything runs and too uniform to say how fast real chats are. Nothing of the plugin is
imported here: a bot must be the first to do that.
"""

from __future__ import annotations

import os
import random
import re
import runpy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA_VARIABLE = "SCOPED_MEMORY_BENCH_DATA"
DEFAULT_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"

Conversation = tuple[str, list[dict[str, Any]], list[dict[str, Any]]]
"""(id, turns, questions) as the data sets' own loaders yield them."""
Loader = Callable[[], Iterator[Conversation]]

_SENTENCE_END = re.compile(r"(?<=[。！？!?\n])|(?<=\. )")
_SHORTEST, _LONGEST = 8, 200

BUILT_IN = tuple(
    """
小明喜欢手冲咖啡，不加糖
小红家的猫叫豆豆，今年三岁
服务器每周日凌晨三点备份
她下个月要去成都出差一周
他对虾过敏，聚餐时要避开海鲜
数据库的连接数不要超过五十
周会改到星期四下午两点
报销单要在月底前交给财务
新版本发布前必须跑完全部测试
爷爷年轻时在海军当过报务员
阳台上的月季今年开了二十多朵
他最近在学小提琴，每天练半小时
地铁二号线早高峰特别挤，建议八点前出发
这台电脑的显卡是去年秋天换的
房租每个季度交一次，下次是十二月
妹妹今年考上了医学院
游戏公会每周五晚上打副本
群里禁止发广告，第一次警告，第二次移出
合同要先给法务看一遍再签字
她不吃香菜，也不吃葱
生产环境的密钥由运维保管
周末打算去爬黄山，住一晚
睡前喝牛奶能睡得好一点
他习惯用 Vim 写代码，用 Python 比较多
""".split("\n")[1:-1]
)
BUILT_IN_QUESTIONS = tuple(
    """
小明喝什么咖啡
猫叫什么名字
服务器什么时候备份
周会改到哪一天了
他对什么过敏
报销单交给谁
发布之前要做什么
房租什么时候交
爬黄山住几晚
谁保管密钥
""".split("\n")[1:-1]
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Different sentences in an order of their own, questions, and where both came from."""

    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    source: str

    def sentence(self, place: int) -> str:
        """The sentence at ``place``; beyond the last one they begin again, each with the number of its round."""
        lap, index = divmod(place, len(self.sentences))
        return self.sentences[index] if not lap else f"{self.sentences[index]}（{lap + 1}）"


def find_data(path: str | None) -> Path | None:
    """The folder of the data sets: ``path``, else the environment's, else ``shared/data`` beside the repository."""
    folder = Path(path or os.environ.get(DATA_VARIABLE) or DEFAULT_DATA)
    return folder if (folder / "loaders.py").is_file() else None


def loaders(data: Path) -> dict[str, Loader]:
    """The data sets' own loaders by name."""
    return runpy.run_path(str(data / "loaders.py"))["ALL"]


def load(data: Path | None, seed: int) -> Corpus:
    """Sentences of Chinese encyclopedia paragraphs, Chinese memories and English dialogues, about 17,000 in all (six in
    ten Chinese), with the questions that go with them; the built-in list without ``data``."""
    order = random.Random(seed)
    if data is None:
        return _shuffled(
            BUILT_IN, BUILT_IN_QUESTIONS, f"{len(BUILT_IN)} built-in sentences (data sets not found)", order
        )
    sentences: dict[str, None] = {}
    questions: dict[str, None] = {}
    known = loaders(data)
    names = ("cmrc2018-dev", "madial-zh", "locomo")
    for name in names:
        for _, turns, asked in known[name]():
            for turn in turns:
                parts = (part.strip() for part in _SENTENCE_END.split(turn["text"]))
                sentences.update(dict.fromkeys(part for part in parts if _SHORTEST <= len(part) <= _LONGEST))
            questions.update(dict.fromkeys(one.get("q_last") or one["q"] for one in asked))
    return _shuffled(sentences, questions, f"{len(sentences):,} sentences of {', '.join(names)}", order)


def _shuffled(
    sentences: Sequence[str] | dict[str, None],
    questions: Sequence[str] | dict[str, None],
    source: str,
    order: random.Random,
) -> Corpus:
    shuffled, asked = list(sentences), list(questions)
    order.shuffle(shuffled)
    order.shuffle(asked)
    return Corpus(tuple(shuffled), tuple(asked), source)


def zipf_sizes(items: int, scopes: int) -> list[int]:
    """How many items each scope has: the r-th largest gets a share in proportion to 1/r, at least one."""
    weights = [1 / rank for rank in range(1, scopes + 1)]
    sizes = [max(1, int(items * weight / sum(weights))) for weight in weights]
    sizes[0] += max(0, items - sum(sizes))
    return sizes
