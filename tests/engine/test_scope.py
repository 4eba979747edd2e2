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


SPELT_NOWHERE = {SCOPE_TYPE_GLOBAL, SCOPE_ID_GLOBAL, "project", "expert"}
"""Words that are only ever a scope. The other types are words of their own too (a kind, an audience, a purpose)."""


def spelt_scopes(tree: ast.AST) -> list[int]:
    """Lines with a literal scope type or id: by itself, given to ``ScopeRef``, or beside ``….type`` or ``scope_type``
    in a comparison, a keyword, an assignment or a ``case``."""
    lines: list[int] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in SPELT_NOWHERE:
            lines.append(node.lineno)
        elif isinstance(node, ast.Call) and _name(node.func) == "ScopeRef":
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            lines.extend(one.lineno for one in given if isinstance(one, ast.Constant))
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_is_type(side) for side in sides):
                lines.extend(line for side in sides for line in _types_in(side))
        elif isinstance(node, ast.keyword) and node.arg in ("type", "scope_type"):
            lines.extend(_types_in(node.value))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(_is_type(target) for target in targets):
                lines.extend(_types_in(node.value))
        elif isinstance(node, ast.Match) and _is_type(node.subject):
            lines.extend(line for case in node.cases for line in _types_in(case.pattern))
    return sorted(set(lines))


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_type(node: ast.AST) -> bool:
    return _name(node) == "scope_type" or (isinstance(node, ast.Attribute) and node.attr == "type")


def _types_in(node: ast.AST) -> list[int]:
    """Lines of the scope types that are spelt anywhere inside ``node``."""
    inside = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return [one.lineno for one in inside if one.value in SCOPE_TYPES]


def test_no_other_file_spells_a_scope() -> None:
    """A literal scope name or id outside scope.py would be a rule that nobody finds when it changes."""
    offenders = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).as_posix()
        if module != "engine/scope.py":
            offenders += [f"{module}:{line}" for line in spelt_scopes(ast.parse(path.read_text(encoding="utf-8")))]
    assert offenders == []


@pytest.mark.parametrize("type", SCOPE_TYPES)
@pytest.mark.parametrize(
    "written",
    [
        "ref.type == {}",
        "{} != item.scope.type",
        "ref.type in ({}, 'room')",
        "scope_type not in {{{}}}",
        "row.scope_type == {}",
        "ScopeRef({}, id)",
        "scope.ScopeRef(type={}, id=id)",
        "rows(scope_type={})",
        "scope_type = {}",
        "scope_type: str = {}",
        "match ref.type:\n    case 'room' | {}: pass",
    ],
)
def test_a_spelt_scope_is_seen(written: str, type: str) -> None:
    assert spelt_scopes(ast.parse(written.format(repr(type)))) != []


@pytest.mark.parametrize(
    "written", ["kind == 'task'", "audience = 'chat'", "add_usage(purpose='chat')", "segment.type == 'image'"]
)
def test_the_same_word_may_mean_something_else(written: str) -> None:
    assert spelt_scopes(ast.parse(written)) == []
