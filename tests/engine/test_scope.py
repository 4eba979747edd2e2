"""Scopes: how a session resolves, which values are refused, and that no other file spells a scope."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nonebot_plugin_scoped_memory
from nonebot_plugin_scoped_memory.engine.address import Address
from nonebot_plugin_scoped_memory.engine.errors import InvalidAddressError, InvalidScopeError
from nonebot_plugin_scoped_memory.engine.models import KINDS
from nonebot_plugin_scoped_memory.engine.scope import (
    CHAT_SCOPED_KINDS,
    CONFLICT_PRIORITY,
    GLOBAL_SCOPE,
    GLOBAL_SCOPED_KINDS,
    SCOPE_ID_GLOBAL,
    SCOPE_TYPE_CHAT,
    SCOPE_TYPE_GLOBAL,
    SCOPE_TYPES,
    ScopeContext,
    ScopeRef,
    chat_scope_id,
    plan_for_session,
    resolve_scope_from_session,
    scope_for_kind,
)

PACKAGE = Path(nonebot_plugin_scoped_memory.__file__).parent


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        ("milky:private:10001", ("chat", "milky:private:10001")),
        ("milky:10001", ("global", "__global__")),
        ("milky:private:10001:cron:abc", ("chat", "milky:private:10001")),
        ("milky:10001:cron:x", ("global", "__global__")),
        ("qq:group:1", ("chat", "qq:group:1")),
        ("qq:private:1", ("chat", "qq:private:1")),
    ],
)
def test_resolve_scope_from_session(session: str, expected: tuple[str, str]) -> None:
    assert resolve_scope_from_session(session) == expected


@pytest.mark.parametrize("session", ["milky:private", "milky:private:", "milky:unknown:1", "milky:Private:1", "x", ""])
def test_a_session_that_cannot_be_parsed_has_no_scope(session: str) -> None:
    with pytest.raises(InvalidAddressError):
        resolve_scope_from_session(session)


def test_scope_for_kind() -> None:
    assert scope_for_kind("preference") == "chat"
    assert scope_for_kind("decision") == "global"
    assert {kind: scope_for_kind(kind) for kind in KINDS} == {
        **dict.fromkeys(CHAT_SCOPED_KINDS, SCOPE_TYPE_CHAT),
        **dict.fromkeys(GLOBAL_SCOPED_KINDS, SCOPE_TYPE_GLOBAL),
    }
    with pytest.raises(InvalidScopeError):
        scope_for_kind("gossip")


def test_the_constants_are_the_published_ones() -> None:
    assert (SCOPE_TYPE_GLOBAL, SCOPE_TYPE_CHAT, SCOPE_ID_GLOBAL) == ("global", "chat", "__global__")
    assert chat_scope_id(Address.parse("milky:private:10001")) == "milky:private:10001"
    assert sorted(CONFLICT_PRIORITY) == sorted(SCOPE_TYPES)


@pytest.mark.parametrize(
    ("type", "id"),
    [
        ("room", "1"),
        ("chat", ""),
        ("chat", "qq:group:1:cron:x"),
        ("chat", "milky:10001"),
        ("global", "default"),
        ("project", "a\nb"),
        ("project", "x" * 513),
    ],
)
def test_a_scope_that_makes_no_sense_is_refused(type: str, id: str) -> None:
    with pytest.raises(InvalidScopeError) as caught:
        ScopeRef(type, id)
    assert caught.value.problem


A, B, C = (ScopeRef("project", name) for name in "abc")


def test_write_left_out_means_only_the_default() -> None:
    assert ScopeContext(read=(A, B), default_write=B).writable == (B,)
    assert ScopeContext(read=(A, B)).writable == ()


@pytest.mark.parametrize(
    ("parts", "offender"),
    [
        ({"read": ()}, ""),
        ({"read": (A, B, A)}, str(A)),
        ({"read": (A,), "write": (A, B)}, str(B)),
        ({"read": (A, B), "write": (A, A)}, str(A)),
        ({"read": (A, B), "write": (A,), "default_write": B}, str(B)),
        ({"read": (A,), "default_write": C}, str(C)),
    ],
)
def test_a_context_that_breaks_a_rule_names_the_scope(parts, offender: str) -> None:
    with pytest.raises(InvalidScopeError) as caught:
        ScopeContext(**parts)
    assert caught.value.scope == offender


def test_values_are_frozen() -> None:
    with pytest.raises(AttributeError):
        A.id = "other"  # pyright: ignore[reportAttributeAccessIssue]


SESSIONS = st.builds(
    lambda platform, type, id, suffix: f"{platform}:{type}:{id}{suffix}",
    st.sampled_from(["qq", "milky", "telegram"]),
    st.sampled_from(["private", "group"]),
    st.integers(1, 10**6),
    st.sampled_from(["", ":cron:abc", ":subagent:1"]),
)


@given(SESSIONS, SESSIONS)
def test_two_sessions_share_a_chat_scope_only_if_they_are_of_one_address(a: str, b: str) -> None:
    shared = set(plan_for_session(a)) & set(plan_for_session(b)) - {GLOBAL_SCOPE}
    assert bool(shared) == (a.split(":")[:3] == b.split(":")[:3])


def test_no_other_file_spells_a_scope() -> None:
    """A literal scope name or id outside scope.py would be a rule that nobody finds when it changes."""
    spelled = {"global", SCOPE_ID_GLOBAL, "project", "expert"}
    offenders = []
    for path in PACKAGE.rglob("*.py"):
        if path.name == "scope.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in spelled:
                offenders.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "ScopeRef"
                and any(isinstance(argument, ast.Constant) for argument in node.args)
            ):
                offenders.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert offenders == []
