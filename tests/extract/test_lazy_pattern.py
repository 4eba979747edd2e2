from __future__ import annotations

import re
from pathlib import Path

import pytest

from nonebot_plugin_scoped_memory.engine.extract.lazy_pattern import LazyPattern
from tests.fresh import run_python


def test_it_does_what_a_compiled_pattern_does() -> None:
    lazy, compiled = LazyPattern(r"(\d+)b?", re.IGNORECASE), re.compile(r"(\d+)b?", re.IGNORECASE)
    assert not lazy.is_compiled
    for text in ("", "12", "a12B 3", "12b", "x"):
        for span in ((), (1,), (1, 3)):
            for name in ("match", "fullmatch", "search"):
                ours, theirs = getattr(lazy, name)(text, *span), getattr(compiled, name)(text, *span)
                assert (ours and ours.regs) == (theirs and theirs.regs)
            assert [m.regs for m in lazy.finditer(text, *span)] == [m.regs for m in compiled.finditer(text, *span)]
        assert lazy.findall(text) == compiled.findall(text)
        assert lazy.split(text) == compiled.split(text)
        assert lazy.sub("_", text, 1) == compiled.sub("_", text, 1)
        assert lazy.sub(lambda match: match[1], text) == compiled.sub(lambda match: match[1], text)
    assert lazy.is_compiled


def test_what_is_no_pattern_fails_when_it_is_compiled() -> None:
    lazy = LazyPattern("good")
    lazy.pattern = "("
    with pytest.raises(re.error):
        lazy.search("")
    lazy.pattern = "good"
    assert lazy.search("all good")


def test_importing_the_engine_compiles_no_rule_and_compile_all_all_of_them(tmp_path: Path) -> None:
    code = """
import nonebot_plugin_scoped_memory
from nonebot_plugin_scoped_memory.engine.extract.lazy_pattern import compile_all
from nonebot_plugin_scoped_memory.engine.extract.rule_table import RULES
assert not any(rule.pattern.is_compiled for rule in RULES)
assert compile_all() > len(RULES)
assert all(rule.pattern.is_compiled for rule in RULES)
assert compile_all() == 0
"""
    done = run_python(code, tmp_path)
    assert done.returncode == 0, done.stderr
