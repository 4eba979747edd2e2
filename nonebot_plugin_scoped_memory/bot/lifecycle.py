"""Opens the memory when the bot starts and closes it when it stops. What fails here leaves the bot running without."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from apscheduler.schedulers.base import BaseScheduler

from .. import api, texts
from ..config import ScopedMemoryConfig
from ..engine.background import Background
from ..engine.embedding import Embedder, create_embedder
from ..engine.engine import MemoryEngine
from ..engine.errors import ProviderError, StoreError
from ..engine.extract.lazy_pattern import compile_all
from ..engine.failures import told
from ..engine.llm import OpenAIChat
from ..engine.places import Places
from . import digest
from .jobs import schedule
from .recorder import Recorder

logger = logging.getLogger(__name__)

EMBEDDING_TIMEOUT = 15.0
"""Seconds for one batch of items; a question waits far less (``SafeEmbedder``)."""
DRAIN_WITHIN = 10.0
"""Seconds that messages already heard have to be stored when the bot stops."""


class Lifecycle:
    """The start and stop hooks, and the models between them.

    ``chat_model`` answers people, ``extract_model`` reads transcripts; both are None without a key and while the bot
    does not run.
    """

    def __init__(
        self,
        config: ScopedMemoryConfig,
        recorder: Recorder,
        *,
        data_file: Path,
        nicknames: frozenset[str],
        scheduler: BaseScheduler,
    ) -> None:
        self._config = config
        self._recorder = recorder
        self._data_file = data_file
        self._nicknames = nicknames
        self._scheduler = scheduler
        self._stack = AsyncExitStack()
        self.chat_model: OpenAIChat | None = None
        self.extract_model: OpenAIChat | None = None

    @property
    def models(self) -> tuple[OpenAIChat, ...]:
        """Each model once."""
        return tuple(dict.fromkeys(m for m in (self.chat_model, self.extract_model) if m is not None))

    async def start(self) -> None:
        self._recorder.start()
        self.chat_model, self.extract_model = _models(self._config)
        for model in self.models:
            self._stack.push_async_callback(model.close)
        if not self._config.enabled:
            logger.info(texts.LOG_DISABLED)
            return
        try:
            embedder = self._embedder()
            if embedder is not None:
                self._stack.push_async_callback(embedder.close)
            engine = await self._stack.enter_async_context(
                MemoryEngine.open(
                    self._config.store.url or sqlite_url(self._data_file),
                    embedder=embedder,
                    llm=self.extract_model,
                    settings=replace(self._config.engine_settings(), nicknames=self._nicknames),
                )
            )
        except StoreError as e:
            logger.error(texts.LOG_STORE_FAILED.format(url=e.url, problem=e.problem))
            return
        except Exception as e:  # noqa: BLE001 - told in the log
            logger.error(texts.LOG_OPEN_FAILED.format(problem=told(e)))
            return
        background = Background()
        self._stack.push_async_callback(background.close, DRAIN_WITHIN)
        background.spawn(asyncio.to_thread(compile_all), "compile the rules")
        api.use_engine(engine)
        digest.want(self._config.dream.digest)
        schedule(self._scheduler, dream_every=self._config.dream.interval)
        logger.info(texts.LOG_OPENED.format(url=engine.store.url))
        if not self.models:
            logger.info(texts.LOG_RULES_ONLY)

    async def stop(self) -> None:
        """Handlers may still run after this hook has begun: what was heard is stored first, within a limit."""
        await self._recorder.close(DRAIN_WITHIN)
        api.use_engine(None)
        self.chat_model = self.extract_model = None
        await asyncio.shield(self._stack.aclose())

    def _embedder(self) -> Embedder | None:
        settings = self._config.embedding
        try:
            return create_embedder(
                settings.provider,
                base_url=settings.base_url,
                api_key=settings.api_key,
                model=settings.model,
                timeout=EMBEDDING_TIMEOUT,
            )
        except ProviderError as e:
            logger.warning(texts.LOG_EMBEDDING_FAILED.format(problem=e.problem))
            return None


def _models(config: ScopedMemoryConfig) -> tuple[OpenAIChat | None, OpenAIChat | None]:
    """(for chat, for extraction): one client where both use the same model."""
    if not config.llm_is_configured:
        return None, None
    llm = config.llm
    places = Places(llm.concurrency)

    def client(model: str) -> OpenAIChat:
        return OpenAIChat(llm.base_url, llm.api_key, model, timeout=llm.timeout, places=places)

    chat = client(llm.model)
    extract = chat if config.extract.model in ("", llm.model) else client(config.extract.model)
    return chat, extract


def sqlite_url(path: Path) -> str:
    """``sqlite:///`` and an absolute path with forward slashes, on Windows too."""
    return f"sqlite:///{path.absolute().as_posix()}"
