from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.errors import BadOutputError
from nonebot_plugin_scoped_memory.engine.extract.schema import EXTRACTION_SCHEMA, Parsed, parse_output

from .making import answer, raw

ONE = raw("u1 喜欢手冲咖啡", kind="preference")
TWO = raw("u2 主要写 Rust", subject="u2", evidence=["t2"], key="language")
PLAIN = answer(ONE, TWO)


def contents(parsed: Parsed) -> list[str]:
    return [item.content for item in parsed.items]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"好的，结果如下：{PLAIN} 以上。",
        f"{{闲聊}}: {PLAIN}",
        f"{{闲聊}} [t1] {{x: y}} {PLAIN} {{完}}",
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\n",
        f"好的\n```json\n{PLAIN}\n```\n解释：{{略}}",
        json.dumps([ONE, TWO]),
        f"结果：{json.dumps([ONE, TWO])}",
        *(json.dumps({key: [ONE, TWO]}) for key in ("facts", "memories", "results")),
        json.dumps({"data": {"list": [ONE, TWO]}}),
        json.dumps([{"items": [ONE, TWO]}]),
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}",
        json.dumps(PLAIN),
        PLAIN.replace('"', "'"),
        PLAIN.replace("null}", "null,}").replace("]}", "],}"),
        f"<think>先想想 {answer(raw('u1 草稿'))} 不对</think>{PLAIN}",
        f"\ufeff{PLAIN}",
        PLAIN.replace("手冲咖啡", "手冲\\u5496啡"),
    ],
)
def test_case_24_the_json_is_found_whatever_stands_around_it(text: str) -> None:
    parsed = parse_output(text, turns=2)
    assert contents(parsed) == ["u1 喜欢手冲咖啡", "u2 主要写 Rust"]
    assert parsed.items[1].key == "language"
    assert parsed.dropped == ()


def test_complete_items_of_a_cut_answer_are_kept() -> None:
    second = PLAIN.index("u2 主要")
    for end in range(PLAIN.index(', {"kind"') + 3, len(PLAIN) - 2):
        parsed = parse_output(PLAIN[:end], turns=2)
        assert contents(parsed) == ["u1 喜欢手冲咖啡"], PLAIN[:end]
        if end > second:
            assert parsed.dropped == ("cut_off",)
    assert len(parse_output(PLAIN[:-1], turns=2).items) == 2


def test_an_answer_cut_within_its_first_item_is_no_empty_answer() -> None:
    with pytest.raises(BadOutputError, match="cut_off"):
        parse_output(PLAIN[:60], turns=2)


def test_wrong_escapes_and_quotes_are_repaired() -> None:
    item = '{"kind": "fact", "content": "u1 的目录是 C:\\dir \\d，他说"好"", "evidence": ["t1"], "subject": "u1"}'
    text = f'{{"items": [{item}]}}'
    (read,) = parse_output(text, turns=1).items
    assert read.content == 'u1 的目录是 C:\\dir \\d，他说"好"'
    assert read.evidence == (1,)


@pytest.mark.parametrize(
    "text", ['{"items": []}', "[]", "{}", "没有值得记住的：[]", '好的 {"facts": [ ]} 就这样', "```json\n[]\n```"]
)
def test_an_empty_list_is_an_answer(text: str) -> None:
    assert parse_output(text, turns=2) == Parsed(())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "我不能处理这段对话。",
        "小明喜欢猫，kind 是 preference，content 是 {小明喜欢猫}",
        "{content kind}",
        '{"items": ["u1 喜欢猫"]}',
        '{"items": [{"kind": "fact"}]}',
        '{"answer": 42}',
        "42",
        "null",
        "<think>想了很久，还没想完",
        "[[[[[[[[",
        "[" * 100_000,
        '{"a":' * 20_000,
    ],
)
def test_what_cannot_be_understood_is_an_error_that_tells_no_text(text: str) -> None:
    with pytest.raises(BadOutputError) as error:
        parse_output(text, turns=2)
    assert "小明" not in str(error.value)


def test_unknown_kinds_and_malformed_entries_are_dropped_with_a_reason() -> None:
    text = answer(ONE, {**ONE, "kind": "mood"}, {**ONE, "content": " "}, {"content": "没有 kind"})
    parsed = parse_output(text[:-2] + ', "文字"]}', turns=2)
    assert contents(parsed) == ["u1 喜欢手冲咖啡"]
    assert parsed.dropped == ("unknown_kind", "no_content", "unknown_kind", "not_an_object")
    assert parse_output(answer({**ONE, "kind": "mood"}), turns=1) == Parsed((), ("unknown_kind",))


def test_two_hundred_items_for_two_turns() -> None:
    parsed = parse_output(answer(*[ONE] * 200), turns=2)
    assert len(parsed.items) == 8
    assert parsed.dropped == ("too_many",) * 192
    assert len(parse_output(answer(*[ONE] * 200), turns=10).items) == 30


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kind", " Preference ", "preference"),
        ("content", 12, "12"),
        ("content", "第一行\n第二行", "第一行 第二行"),
        ("content", "a\ud83d", "a\ufffd"),
        ("subject", "U2 小明", "u2"),
        ("subject", "[u2]", "u2"),
        ("subject", None, ""),
        ("subject", "null", ""),
        ("subject", "无", ""),
        ("subject", "Bot", "bot"),
        ("subject", "小明", "小明"),
        ("subject", ["u2"], ""),
        ("evidence", "t17", (17,)),
        ("evidence", 17, (17,)),
        ("evidence", 17.0, (17,)),
        ("evidence", ["[t17]", "t18", 17], (17, 18)),
        ("evidence", "[t17], [t18]", (17, 18)),
        ("evidence", {"turn": "t17"}, (17,)),
        ("evidence", [["t1"], [2]], (1, 2)),
        ("evidence", None, ()),
        ("evidence", True, ()),
        ("evidence", "t" + "9" * 5_000, ()),
        ("confidence", "0.9", 0.9),
        ("confidence", "90%", 0.9),
        ("confidence", 7, 1.0),
        ("confidence", -1, 0.0),
        ("confidence", "high", 0.7),
        ("confidence", float("nan"), 0.7),
        ("importance", None, 0.5),
        ("importance", [1], 0.5),
        ("key", "NULL", None),
        ("key", "Favourite Food", "favourite_food"),
        ("key", "x" * 41, None),
        ("key", {"a": 1}, None),
        ("audience", "Shared", "shared"),
        ("audience", "everyone", None),
        ("valid_until", "", None),
        ("valid_until", 20261201, "20261201"),
    ],
)
def test_wrong_types_are_read_as_meant(field: str, value: Any, expected: Any) -> None:
    (item,) = parse_output(json.dumps({"items": [{**ONE, "extra": 1, field: value}]}), turns=1).items
    assert getattr(item, field) == expected


def test_missing_fields_have_defaults() -> None:
    (item,) = parse_output('[{"kind": "fact", "content": "x"}]', turns=1).items
    assert (item.subject, item.evidence, item.key, item.audience) == ("", (), None, None)


def test_the_schema_is_within_what_strict_mode_accepts() -> None:
    def walk(node: object) -> None:
        if isinstance(node, dict):
            assert not {
                "minimum",
                "maximum",
                "minLength",
                "maxLength",
                "minItems",
                "maxItems",
                "pattern",
                "default",
            } & set(node)
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert set(node["required"]) == set(node["properties"])
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    walk(EXTRACTION_SCHEMA)
    json.dumps(EXTRACTION_SCHEMA)


def only_bad_output(text: str) -> None:
    try:
        parsed = parse_output(text, turns=2)
    except BadOutputError:
        return
    assert len(parsed.items) <= 8
    for item in parsed.items:
        item.content.encode()
        assert 0 <= item.confidence <= 1


JSON_PIECES = [
    '{"items":',
    "[",
    "]",
    "{",
    "}",
    ",",
    '"kind":"fact"',
    '"content":"x"',
    '"evidence":["t1"]',
    "```json\n",
    "\\",
    '"',
    "'",
    "null",
]


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(JSON_PIECES), max_size=30).map("".join)))
def test_nothing_but_bad_output_is_raised_on_any_text(text: str) -> None:
    only_bad_output(text)


@settings(deadline=None)
@given(
    start=st.integers(0, len(PLAIN)),
    length=st.integers(0, 40),
    inserted=st.one_of(st.text(max_size=6), st.sampled_from(JSON_PIECES)),
)
def test_nothing_but_bad_output_is_raised_on_mutated_json(start: int, length: int, inserted: str) -> None:
    only_bad_output(PLAIN[:start] + inserted + PLAIN[start + length :])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(ONE)), inner, max_size=9),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*ONE, "items"]), json_values))
def test_nothing_but_bad_output_is_raised_on_wrong_types(value: dict[str, Any]) -> None:
    only_bad_output(json.dumps({"items": [{**ONE, **value}]}))
    only_bad_output(json.dumps(value))


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="{}[]"), min_size=1))
def test_prose_never_becomes_items(text: str) -> None:
    with contextlib.suppress(BadOutputError):
        assert parse_output(text, turns=2).items == ()


@pytest.mark.parametrize(
    "unit", ["{", '{"a":', "[", '{"kind":"content",', '{"kind":1,"content":2', '{"kind":"fact","content":"x\\', "{}"]
)
def test_broken_answers_cost_bounded_work(unit: str) -> None:
    start = time.perf_counter()
    only_bad_output(unit * 20_000)
    assert time.perf_counter() - start < 5.0
