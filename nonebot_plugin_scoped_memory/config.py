"""Every setting, its default and its unit. In ``.env`` each is ``SCOPED_MEMORY__…`` with ``__`` between the levels."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from . import texts
from .engine.address import Address
from .engine.errors import InvalidAddressError
from .engine.extract.prompts import OURS, own_instructions
from .engine.settings import DreamSettings, EngineSettings


def _switch(value: object) -> object:
    """``auto``, or what pydantic takes for a boolean, as the words true and false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        lowered = value.strip().lower()
        return {"1": "true", "on": "true", "yes": "true", "0": "false", "off": "false", "no": "false"}.get(
            lowered, lowered
        )
    return {1: "true", 0: "false"}.get(value, value) if isinstance(value, int) else value


class _Section(BaseModel):
    # .env values that look like numbers arrive as int.
    model_config = ConfigDict(coerce_numbers_to_str=True, extra="forbid")


class StoreConfig(_Section):
    """Where memory is kept."""

    url: str = ""
    """``sqlite:///path``; empty: ``memory.db`` in the plugin's data folder."""


class LLMConfig(_Section):
    """The model that extracts and, if ``chat`` is on, answers."""

    base_url: str = "https://api.openai.com/v1"
    """An OpenAI-compatible endpoint. Nothing is called without ``api_key``."""
    api_key: str = ""
    """Empty: no model; rules alone extract, and ``chat`` has nothing to answer with."""
    model: str = "gpt-4o-mini"
    timeout: float = Field(default=60.0, gt=0)
    """Seconds for a whole call."""
    concurrency: int = Field(default=2, ge=1)
    """Calls at once, over all chats."""


class EmbeddingConfig(_Section):
    """Vector search, beside the search for words."""

    provider: Literal["auto", "openai", "local", "local-e5", "none"] = "auto"
    """``auto``: a configured endpoint, else an installed local model, else none."""
    base_url: str = ""
    """An OpenAI-compatible endpoint. It is used only if ``model`` is set too."""
    api_key: str = ""
    """May be empty: not every endpoint wants one."""
    model: str = ""


class ChatConfig(_Section):
    """The chat that comes with the plugin."""

    enabled: Annotated[Literal["auto", "true", "false"], BeforeValidator(_switch)] = "auto"
    """``auto``: on when an LLM is configured."""
    persona: str = "你是一个友好、简洁的 QQ 聊天助手。"
    """How every prompt for an answer begins."""
    history_tokens: int = Field(default=2_000, ge=0)
    """Tokens of earlier turns in one prompt."""


def read_prompt(path: str) -> str:
    """The text of an operator's own prompt. Raises ValueError, in words for the operator."""
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as e:
        raise ValueError(texts.CONFIG_PROMPT_UNREADABLE.format(path=path)) from e
    if not text:
        raise ValueError(texts.CONFIG_PROMPT_UNREADABLE.format(path=path))
    return text


class ExtractConfig(_Section):
    """How the model is asked for what to remember."""

    model: str = ""
    """Empty: ``llm.model``."""
    every_turns: int = Field(default=8, ge=1)
    """A batch is due after so many messages of people; a quiet chat is looked at sooner."""
    prompt_file: str = ""
    """A text file (UTF-8) with what the extracting model is told instead of our own text; see docs/prompts.md."""

    @field_validator("prompt_file")
    @classmethod
    def _readable(cls, value: str) -> str:
        if value:
            read_prompt(value)
        return value


class RecallConfig(_Section):
    """How much one prompt remembers."""

    limit: int = Field(default=10, ge=0)
    """Items in one prompt."""
    max_items_per_scope: int = Field(default=7, ge=1)
    """Of these, so many from one scope before the rest is filled by score."""
    tokens: int = Field(default=1_000, ge=0)
    """Tokens of recalled items in one prompt."""


class RecordConfig(_Section):
    """What is kept of the conversation."""

    groups: Literal["addressed", "all", "off"] = "addressed"
    """What of a group is kept: what is said to the bot, everything, nothing."""


class BudgetConfig(_Section):
    """What may be spent."""

    daily_tokens: int = Field(default=300_000, ge=0)
    """Tokens of all chats in a day; when they are spent, only rules extract."""
    chat_daily_tokens: int = Field(default=100_000, ge=0)
    """The same for one chat."""


class DreamConfig(_Section):
    interval: float = Field(default=60.0, gt=0)
    """Minutes from one sweep over the chats to the next; the first comes 5 minutes after the start."""
    min_turns: int = Field(default=4, ge=1)
    """A chat is dreamt of after so many new messages of people; older than a day, fewer are enough."""
    quiet: float = Field(default=10.0, ge=0)
    """Minutes that a chat must have been silent."""
    sessions_per_run: int = Field(default=20, ge=1)
    """At most so many chats in one sweep."""
    keep_at_least: int = Field(default=10, ge=0)
    """A dream never takes a chat below so many items by itself."""
    preview: bool = False
    """Whether everything that a dream would change waits for ``/memory dream approve``."""
    digest: bool = False
    """Whether operators get a private message a day about what dreams did: counts only."""


class ScopedMemoryConfig(_Section):
    """All settings, ``SCOPED_MEMORY__…`` in ``.env``. None is required."""

    enabled: bool = True
    """False: nothing is recorded or recalled, for other plugins either; ``chat`` answers without memory."""
    domain: Literal["default", "per_bot"] = "default"
    """``default``: one memory for all bot accounts. ``per_bot``: each has its own, and none reads another's."""
    timezone: str = "Asia/Shanghai"
    """An IANA name; the days and hours that people see and mean are of this zone."""
    store: StoreConfig = StoreConfig()
    llm: LLMConfig = LLMConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    chat: ChatConfig = ChatConfig()
    extract: ExtractConfig = ExtractConfig()
    recall: RecallConfig = RecallConfig()
    shared_writes: Literal["trusted", "auto", "review"] = "trusted"
    """How decisions, procedures, warnings and summaries become known in every chat.

    ``trusted``: at once what an operator asks for (``/memory add``, or a 记住-sentence unless it reads as a warning:
    记住千万别告诉小红 is said to the bot, not to everybody), and what ``trusted_chats`` record; all else waits for
    ``/memory approve``. ``auto``: nothing waits. ``review``: everything waits."""
    trusted_chats: frozenset[str] = frozenset()
    """Addresses, such as ``qq:group:20001``. What rules find there and what is added by command is shared at once,
    whoever said it. What a model found never is: that waits as anywhere."""
    record: RecordConfig = RecordConfig()
    budget: BudgetConfig = BudgetConfig()
    dream: DreamConfig = DreamConfig()

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as e:
            raise ValueError(f"unknown time zone {value!r}") from e
        return value

    @field_validator("trusted_chats")
    @classmethod
    def _addresses(cls, value: frozenset[str]) -> frozenset[str]:
        for chat in sorted(value):
            try:
                Address.parse(chat)
            except InvalidAddressError as e:
                raise ValueError(str(e)) from e
        return value

    @property
    def chat_is_on(self) -> bool:
        """Whether ``chat`` answers."""
        return self.chat.enabled == "true" or (self.chat.enabled == "auto" and self.llm_is_configured)

    @property
    def llm_is_configured(self) -> bool:
        """Whether there is a model to call."""
        return bool(self.llm.api_key and self.llm.base_url and self.llm.model)

    def engine_settings(self) -> EngineSettings:
        """The part of this that the engine needs."""
        return EngineSettings(
            timezone=ZoneInfo(self.timezone),
            shared_writes=self.shared_writes,
            trusted_chats=self.trusted_chats,
            extract_every_turns=self.extract.every_turns,
            recall_limit=self.recall.limit,
            max_items_per_scope=self.recall.max_items_per_scope,
            recall_tokens=self.recall.tokens,
            history_tokens=self.chat.history_tokens,
            daily_tokens=self.budget.daily_tokens,
            chat_daily_tokens=self.budget.chat_daily_tokens,
            dream=DreamSettings(
                min_turns=self.dream.min_turns,
                quiet=timedelta(minutes=self.dream.quiet),
                sessions_per_run=self.dream.sessions_per_run,
                keep_at_least=self.dream.keep_at_least,
                preview=self.dream.preview,
            ),
            instructions=own_instructions(read_prompt(path)) if (path := self.extract.prompt_file) else OURS,
        )


class Config(BaseModel):
    """The plugin's part of NoneBot's configuration."""

    # A misspelt name of a setting is reported with its value otherwise, and that may be a key.
    model_config = ConfigDict(hide_input_in_errors=True)

    scoped_memory: ScopedMemoryConfig = ScopedMemoryConfig()
