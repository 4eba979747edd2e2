"""Addresses and session keys: what is one, what is legacy, and what must fail."""

from __future__ import annotations

import contextlib
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine import address, scope
from nonebot_plugin_scoped_memory.engine.address import ADDRESS_TYPES, Address, SessionKey, private_account
from nonebot_plugin_scoped_memory.engine.errors import InvalidAddressError

PART = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20).filter(
    lambda p: p.casefold() not in ADDRESS_TYPES | {"unknown", "user"}
)


@pytest.mark.parametrize("module", [address, scope])
def test_docstring_examples_hold(module) -> None:
    assert doctest.testmod(module).failed == 0


@given(platform=PART, type=st.sampled_from(sorted(ADDRESS_TYPES)), id=PART, suffix=st.lists(PART, max_size=3))
def test_a_typed_key_keeps_its_address_whatever_is_derived_from_it(platform, type, id, suffix) -> None:
    parsed = SessionKey.parse(":".join((platform, type, id, *suffix)))
    assert parsed.address == Address(platform, type, id)
    assert parsed.suffix == tuple(suffix)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "milky",
        "conv-001",
        "milky:",
        ":10001",
        "milky:private",
        "milky:Group",
        "milky:unknown",
        "milky:private:",
        "milky:unknown:1",
        "milky:Private:1",
        "milky:PRIVATE:1:cron:x",
        "milky:user:1",
        "private:10001",
        "milky:foo:1",
        "milky:foo:1:2",
        "milky:10001:cron:",
        "milky:10001::x",
        "qq:private:private",
        "qq:private:1 0",
        " qq:private:1",
        "qq:private:1\n",
        "qq:private:1\x00",
        "qq:private:1\u200b",
        "qq:private:\ud83d",
        "qq:private:" + "1" * 129,
        "q" * 129 + ":private:1",
        "qq：private：1",
    ],
)
def test_everything_else_is_an_error_that_names_the_text(text: str) -> None:
    with pytest.raises(InvalidAddressError) as caught:
        SessionKey.parse(text)
    assert caught.value.text == text
    assert caught.value.problem


@pytest.mark.parametrize("value", [None, 10001, b"qq:private:1", ["qq", "private", "1"]])
def test_what_is_no_text_is_an_error(value) -> None:
    with pytest.raises(InvalidAddressError):
        SessionKey.parse(value)


@given(st.text())
def test_no_text_raises_anything_else(text: str) -> None:
    with contextlib.suppress(InvalidAddressError):
        assert SessionKey.parse(text).text == text


@pytest.mark.parametrize("text", ["milky:10001", "milky:10001:cron:x", "milky:alice"])
def test_two_part_keys_are_legacy(text: str) -> None:
    assert SessionKey.parse(text).address is None


def test_an_address_has_no_suffix() -> None:
    assert Address.parse("qq:group:1").chat_key == "qq:group:1"
    for text in ("qq:group:1:cron:x", "milky:10001"):
        with pytest.raises(InvalidAddressError):
            Address.parse(text)


@pytest.mark.parametrize("parts", [("qq", "group", "1:2"), ("qq", "room", "1"), ("group", "group", "1")])
def test_an_address_made_of_parts_is_checked_too(parts) -> None:
    with pytest.raises(InvalidAddressError):
        Address(*parts)


def test_only_a_private_chat_is_with_one_account() -> None:
    assert private_account(Address.parse("qq:private:10001")) == "qq:user:10001"
    assert private_account(Address.parse("qq:group:10001")) is None
