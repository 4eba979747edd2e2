"""The settings: what ``.env.example`` promises, what may be written, and that NoneBot really hands it over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from dotenv import dotenv_values
from pydantic import BaseModel, ValidationError

from nonebot_plugin_scoped_memory.config import Config, ScopedMemoryConfig
from nonebot_plugin_scoped_memory.engine.settings import DreamSettings
from tests.fresh import ROOT, run_python

PREFIX = "SCOPED_MEMORY__"
EXAMPLE = ROOT / ".env.example"
NONEBOTS_OWN = {"DRIVER", "HOST", "PORT", "SUPERUSERS", "COMMAND_START", "LOCALSTORE_USE_CWD"}
HAN = re.compile(r"[\u4e00-\u9fff]")

PRINT_CONFIG = """
import nonebot
nonebot.init(driver="~none", log_level="ERROR")
assert nonebot.load_plugin("nonebot_plugin_scoped_memory") is not None
import nonebot_plugin_scoped_memory as plugin
print(plugin._wiring.config.model_dump_json())
"""
"""Prints the settings that the plugin runs with."""


def settings(model: type[BaseModel] = ScopedMemoryConfig, prefix: str = PREFIX) -> Iterator[tuple[str, Any]]:
    """Every setting as it is named in ``.env``, with its default."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from settings(field.annotation, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}", field.default


def written(value: Any) -> str:
    """A default as it stands in ``.env``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return json.dumps(sorted(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def example_lines() -> list[str]:
    return EXAMPLE.read_text(encoding="utf-8").splitlines()


# ---------------------------------------------------------------- .env.example


def test_the_example_has_every_setting_once_with_its_default_and_nothing_else() -> None:
    assigned = [line.partition("=")[::2] for line in example_lines() if line and not line.startswith("#")]
    assert sorted(name for name, _ in assigned if not name.startswith(PREFIX)) == sorted(NONEBOTS_OWN)
    ours = [(name, value) for name, value in assigned if name.startswith(PREFIX)]
    assert sorted(ours) == sorted((name, written(default)) for name, default in settings())


def test_the_example_has_a_chinese_comment_above_every_line() -> None:
    lines = example_lines()
    for above, line in zip(["", *lines], lines, strict=False):
        if line and not line.startswith("#"):
            assert above.startswith("# "), line
            assert HAN.search(above), line
            assert "------" not in above, f"{line}: a headline is no comment"
        elif line:
            assert re.match(r"# \S", line), line


def test_the_example_is_read_as_the_defaults() -> None:
    values = dotenv_values(EXAMPLE)
    assert all(value is not None for value in values.values())
    assert ScopedMemoryConfig.model_validate(_nested(values)) == ScopedMemoryConfig()


def _nested(values: dict[str, str | None]) -> dict[str, Any]:
    """As NoneBot does it: ``__`` between the levels, JSON where it is some."""
    tree: dict[str, Any] = {}
    for name, text in values.items():
        if not name.startswith(PREFIX):
            continue
        *sections, last = name.removeprefix(PREFIX).lower().split("__")
        here = tree
        for section in sections:
            here = here.setdefault(section, {})
        try:
            here[last] = json.loads(text or "")
        except ValueError:
            here[last] = text
    return tree


def test_the_example_names_the_choices_of_every_setting_that_has_some() -> None:
    lines = example_lines()
    choices = {
        f"{PREFIX}DOMAIN": ("default", "per_bot"),
        f"{PREFIX}SHARED_WRITES": ("trusted", "auto", "review"),
        f"{PREFIX}RECORD__GROUPS": ("addressed", "all", "off"),
        f"{PREFIX}EMBEDDING__PROVIDER": ("auto", "openai", "local", "local-e5", "none"),
    }
    for name, words in choices.items():
        at = next(n for n, line in enumerate(lines) if line.startswith(f"{name}="))
        said = ""
        while lines[at - 1].startswith("# "):
            at -= 1
            said += lines[at]
        for word in words:
            assert word in said, (name, word)


def test_the_names_that_were_promised() -> None:
    promised = """
        ENABLED DOMAIN TIMEZONE STORE__URL LLM__BASE_URL LLM__API_KEY LLM__MODEL LLM__TIMEOUT LLM__CONCURRENCY
        EMBEDDING__PROVIDER EMBEDDING__BASE_URL EMBEDDING__API_KEY EMBEDDING__MODEL CHAT__ENABLED CHAT__PERSONA
        CHAT__HISTORY_TOKENS EXTRACT__MODEL EXTRACT__EVERY_TURNS RECALL__LIMIT RECALL__MAX_ITEMS_PER_SCOPE
        RECALL__TOKENS SHARED_WRITES TRUSTED_CHATS RECORD__GROUPS BUDGET__DAILY_TOKENS
    """.split()
    assert {f"{PREFIX}{name}" for name in promised} <= {name for name, _ in settings()}
    defaults = dict(settings())
    assert defaults[f"{PREFIX}TIMEZONE"] == "Asia/Shanghai"
    assert defaults[f"{PREFIX}EXTRACT__EVERY_TURNS"] == 8
    assert (defaults[f"{PREFIX}RECALL__LIMIT"], defaults[f"{PREFIX}RECALL__MAX_ITEMS_PER_SCOPE"]) == (10, 7)
    assert defaults[f"{PREFIX}BUDGET__DAILY_TOKENS"] == 300_000


def test_every_setting_reaches_the_engine_or_its_user() -> None:
    config = ScopedMemoryConfig.model_validate(
        {
            "timezone": "Europe/Berlin",
            "shared_writes": "review",
            "trusted_chats": ["qq:group:20001"],
            "extract": {"every_turns": 3},
            "recall": {"limit": 4, "max_items_per_scope": 2, "tokens": 50},
            "chat": {"history_tokens": 60},
            "budget": {"daily_tokens": 70, "chat_daily_tokens": 7},
            "dream": {"min_turns": 2, "quiet": 1.5, "sessions_per_run": 3, "keep_at_least": 4, "preview": True},
        }
    )
    engine = config.engine_settings()
    assert str(engine.timezone) == "Europe/Berlin"
    assert (engine.shared_writes, engine.trusted_chats) == ("review", frozenset({"qq:group:20001"}))
    assert (engine.extract_every_turns, engine.recall_limit, engine.max_items_per_scope) == (3, 4, 2)
    assert (engine.recall_tokens, engine.history_tokens, engine.daily_tokens) == (50, 60, 70)
    assert engine.chat_daily_tokens == 7
    assert engine.dream == DreamSettings(2, timedelta(minutes=1.5), 3, 4, True)


# ---------------------------------------------------------------- values


def test_text_that_looks_like_a_number_stays_text() -> None:
    config = Config.model_validate(
        {
            "scoped_memory": {
                "llm": {"api_key": 123456, "model": 4, "timeout": "5"},
                "embedding": {"api_key": 7, "model": 3.5},
                "extract": {"model": 5},
                "chat": {"persona": 42},
            }
        }
    ).scoped_memory
    assert (config.llm.api_key, config.llm.model, config.llm.timeout) == ("123456", "4", 5.0)
    assert (config.embedding.api_key, config.embedding.model) == ("7", "3.5")
    assert (config.extract.model, config.chat.persona) == ("5", "42")


@pytest.mark.parametrize(
    ("written", "key", "on"),
    [
        ("auto", "", False),
        ("AUTO", "k", True),
        (True, "", True),
        ("true", "", True),
        (1, "", True),
        ("on", "", True),
        (False, "k", False),
        ("False", "k", False),
        (0, "k", False),
        (" off ", "k", False),
    ],
)
def test_whether_the_chat_is_on(written: object, key: str, on: bool) -> None:
    config = ScopedMemoryConfig.model_validate({"chat": {"enabled": written}, "llm": {"api_key": key}})
    assert config.chat_is_on is on


def test_two_configurations_share_nothing() -> None:
    one, other = Config().scoped_memory, Config().scoped_memory
    one.llm.model = "changed"
    assert other.llm.model == Config().scoped_memory.llm.model != "changed"


@pytest.mark.parametrize(
    ("values", "where", "what"),
    [
        ({"enabled": "maybe"}, "enabled", "boolean"),
        ({"domain": "each"}, "domain", "per_bot"),
        ({"timezone": "Asia/Atlantis"}, "timezone", "Asia/Atlantis"),
        ({"timezone": "../etc/passwd"}, "timezone", "time zone"),
        ({"timezone": ""}, "timezone", "time zone"),
        ({"llm": {"timeout": 0}}, "llm.timeout", "greater than 0"),
        ({"llm": {"timeout": "soon"}}, "llm.timeout", "number"),
        ({"llm": {"concurrency": 0}}, "llm.concurrency", "greater than or equal to 1"),
        ({"embedding": {"provider": "cohere"}}, "embedding.provider", "local-e5"),
        ({"chat": {"enabled": "sometimes"}}, "chat.enabled", "auto"),
        ({"chat": {"enabled": 2}}, "chat.enabled", "auto"),
        ({"extract": {"every_turns": 0}}, "extract.every_turns", "greater than or equal to 1"),
        ({"recall": {"limit": -1}}, "recall.limit", "greater than or equal to 0"),
        ({"shared_writes": "always"}, "shared_writes", "trusted"),
        ({"record": {"groups": "some"}}, "record.groups", "addressed"),
        ({"dream": {"interval": 0}}, "dream.interval", "greater than 0"),
        ({"dream": {"keep_at_least": -1}}, "dream.keep_at_least", "greater than or equal to 0"),
        ({"budget": {"daily_tokens": "1.5"}}, "budget.daily_tokens", "integer"),
        ({"trusted_chats": "qq:group:1,qq:group:2"}, "trusted_chats", "frozenset"),
        ({"trusted_chats": ["qq:group:1", "20002"]}, "trusted_chats", "20002"),
        ({"trusted_chats": [20002]}, "trusted_chats", "20002"),
        ({"trusted_chats": ["qq:group:"]}, "trusted_chats", "qq:group:"),
        ({"llm": {"api_kye": "k"}}, "llm.api_kye", "not permitted"),
        ({"recall_limit": 5}, "recall_limit", "not permitted"),
        ({"llm": "gpt-4o"}, "llm", "LLMConfig"),
    ],
)
def test_a_wrong_value_says_which_setting_and_what_it_may_be(values: dict[str, Any], where: str, what: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Config.model_validate({"scoped_memory": values})
    (error,) = caught.value.errors()
    assert ".".join(str(part) for part in error["loc"]) == f"scoped_memory.{where}"
    assert what in str(caught.value)


@pytest.mark.parametrize("llm", [{"apikey": "sk-secret"}, {"api_key": ["sk-secret"]}, "sk-secret"])
def test_a_key_in_the_wrong_place_is_not_shown(llm: object) -> None:
    with pytest.raises(ValidationError) as caught:
        Config.model_validate({"scoped_memory": {"llm": llm}})
    assert "scoped_memory.llm" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


# ---------------------------------------------------------------- through NoneBot


def loaded(folder: Path, dotenv: dict[str, str], env: dict[str, str] | None = None) -> dict[str, Any]:
    done = run_python(PRINT_CONFIG, folder, dotenv={"LOCALSTORE_USE_CWD": "true", **dotenv}, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_settings_arrive_through_nonebot_from_file_and_environment(tmp_path: Path) -> None:
    dotenv = {
        f"{PREFIX}LLM__API_KEY": "123456",
        f"{PREFIX}LLM__MODEL": "4",
        f"{PREFIX}LLM__TIMEOUT": "12.5",
        f"{PREFIX}CHAT__ENABLED": "false",
        f"{PREFIX}CHAT__PERSONA": "你是猫娘",
        f"{PREFIX}TRUSTED_CHATS": '["qq:group:20001", "qq:private:10001"]',
        f"{PREFIX}STORE__URL": "sqlite:///./记忆 data/memory.db",
        f"{PREFIX}EXTRACT__MODEL": "",
        f"{PREFIX}RECORD__GROUPS": "all",
        "scoped_memory__recall__limit": "3",
    }
    env = {
        f"{PREFIX}LLM__MODEL": "from-environment",
        f"{PREFIX}EMBEDDING__API_KEY": "654321",
        f"{PREFIX}RECALL__TOKENS": "50",
    }
    config = loaded(tmp_path, dotenv, env)
    assert (config["llm"]["api_key"], config["llm"]["timeout"]) == ("123456", 12.5)
    assert (config["chat"]["enabled"], config["record"]["groups"], config["recall"]["limit"]) == ("false", "all", 3)
    assert config["chat"]["persona"] == "你是猫娘"
    assert sorted(config["trusted_chats"]) == ["qq:group:20001", "qq:private:10001"]
    assert config["store"]["url"] == "sqlite:///./记忆 data/memory.db"
    assert config["extract"] == json.loads(ScopedMemoryConfig().model_dump_json())["extract"]
    # The environment goes before the file; what only it has is seen since NoneBot 2.4.4 (the README says so).
    assert config["llm"]["model"] == "from-environment"
    known = tuple(map(int, version("nonebot2").split(".")[:3])) >= (2, 4, 4)
    alone = (config["embedding"]["api_key"], config["recall"]["tokens"])
    assert alone == (("654321", 50) if known else ("", 1_000))


def test_the_example_itself_arrives_as_the_defaults(tmp_path: Path) -> None:
    config = loaded(tmp_path, {name: value or "" for name, value in dotenv_values(EXAMPLE).items()})
    assert config == json.loads(ScopedMemoryConfig().model_dump_json())


def test_a_wrong_setting_is_named_when_the_plugin_loads(tmp_path: Path) -> None:
    done = run_python(PRINT_CONFIG, tmp_path, dotenv={f"{PREFIX}TRUSTED_CHATS": '["20001"]'})
    assert done.returncode != 0
    assert "scoped_memory.trusted_chats" in done.stderr + done.stdout
    assert "20001" in done.stderr + done.stdout


# ---------------------------------------------------------------- a prompt of one's own


def test_a_prompt_of_ones_own_takes_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "提示词.txt").write_text("你来记事。\n", encoding="utf-8")
    extract = {"prompt_file": str(tmp_path / "提示词.txt")}
    own = ScopedMemoryConfig.model_validate({"extract": extract}).engine_settings().instructions
    assert own.system == "你来记事。"
    assert re.fullmatch("own-[0-9a-f]{8}", own.version)
    assert ScopedMemoryConfig().engine_settings().instructions.version.startswith("extract-")


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe\x00"])
def test_a_prompt_that_cannot_be_read_is_said_at_once(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "prompt.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValidationError, match="提示词文件"):
        ScopedMemoryConfig.model_validate({"extract": {"prompt_file": str(path)}})
