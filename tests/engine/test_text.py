"""Text as the memory compares it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine import text


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("猫", "我的猫叫豆豆"),
        ("花名", "他的花名是风清扬"),
        ("RTX4090", "显卡是 rtx4090"),
        ("4090", "显卡是 RTX4090"),
        ("C++", "主要写 c++ 和 python"),
        ("3.5元", "早餐 3.5 元"),
        ("ＡＢＣ１２３", "编号 abc123"),
        ("貓叫什麼", "我的猫叫豆豆"),
        ("😀", "今天😀"),
        ("手冲咖啡", "10001喜欢手冲咖啡"),
        ("后端", "用Python写后端"),
        ("python", "用Python写后端"),
        ("我叫啥", "小明（10001）的名字叫小明"),
    ],
)
def test_a_question_shares_a_topic_term_with_its_answer(question: str, document: str) -> None:
    assert set(text.query_terms(question)) & set(text.document_terms(document))


def test_common_words_are_no_topic() -> None:
    assert not text.topic_terms("她喜欢养猫") & set(text.document_terms("用户喜欢蓝色"))
    assert text.topic_terms("我是谁") == frozenset()
    assert text.query_terms("我是谁")


def test_c_is_not_c_plus_plus() -> None:
    assert "c++" in text.document_terms("写 C++")
    assert text.identity("写 C") != text.identity("写 C++")


@pytest.mark.parametrize(
    "variant",
    [
        "小明（10001）喜欢手冲咖啡。",
        "小明（10001）喜欢手冲 咖啡!",
        "阿明（10001）喜欢手冲咖啡",
        "小明（10001）喜歡手沖咖啡",
        "小明（10001） 喜欢手冲咖啡～",
    ],
)
def test_two_wordings_of_one_statement_are_identical(variant: str) -> None:
    names = ("小明", "阿明")
    assert text.identity(variant, "qq:user:10001", names) == text.identity("喜欢手冲咖啡", "qq:user:10001")


@pytest.mark.parametrize(
    ("a", "b"),
    [("喜欢猫", "不喜欢猫"), ("3点开会", "-3点开会"), ("3.5元", "35元"), ("用 C#", "用 C"), ("今天😀", "今天😭")],
)
def test_a_different_statement_is_not_identical(a: str, b: str) -> None:
    assert text.identity(a) != text.identity(b)


def test_words_before_a_name_are_part_of_the_statement() -> None:
    about_cats, about_dogs = (f"{animal}是小明（10001）最喜欢的动物" for animal in "猫狗")
    for names in ((), ("小明",), ("猫是小明", "小明")):
        assert text.identity(about_cats, "qq:user:10001", names) != text.identity(about_dogs, "qq:user:10001", names)


@pytest.mark.parametrize("content", ["小明（10001）说周会改期", "10001说周会改期", "小明（12）说周会改期"])
def test_what_is_shared_names_nobody_by_number(content: str) -> None:
    shared = text.without_numbers(content, ["qq:user:10001", "qq:user:12", ""])
    assert shared in ("小明说周会改期", "某人说周会改期")
    assert text.without_numbers("2026 年 10001 号", []) == "2026 年 10001 号"


def test_a_name_cannot_bear_anothers_number() -> None:
    assert text.person("老板（10000）", "qq:user:10001") == "老板(10000)（10001）"


def test_another_persons_number_is_part_of_the_statement() -> None:
    assert text.identity("小明（10001）怕小红（10002）", "qq:user:10001") != text.identity(
        "小明（10001）怕小刚（10003）", "qq:user:10001"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("小明", "小明"),
        ("  小\u200b明\n", "小明"),
        ("\u3000\u200b✨｜\t", ""),
        ("", ""),
        ("\ud83d", ""),
        ("明" * 100, "明" * 40),
    ],
)
def test_shown_name(name: str, shown: str) -> None:
    assert text.shown_name(name) == shown


def test_a_person_is_named_with_the_number() -> None:
    assert text.person("小明", "qq:user:10001") == "小明（10001）"
    assert text.person("\u200b", "qq:user:10001") == "10001"
    assert text.person("10001", "qq:user:10001") == "10001"


def test_lone_surrogates_and_nul_are_replaced() -> None:
    cleaned = text.clean("a\ud83db\x00c\td\n")
    assert cleaned == "a\ufffdb\ufffdc\td\n"
    cleaned.encode()


def test_a_long_text_is_indexed_up_to_a_limit() -> None:
    assert len(text.document_terms("猫" * 2_000_000)) < 2 * text.MAX_INDEXED_CHARS


def test_tokens_are_counted_by_script() -> None:
    assert text.count_tokens("") == 0
    assert text.count_tokens("你好") == 2
    assert text.count_tokens("hello world") == 3


def test_cut_keeps_one_line_and_marks_the_cut() -> None:
    assert text.cut("a\n b", 10) == "a b"
    assert text.cut("一二三四五", 3) == "一二…"


def test_cut_with_note_says_how_much_is_left_out() -> None:
    assert text.cut_with_note("一\n二三", 4) == "一\n二三"
    assert text.cut_with_note("一\n二三四", 2) == "一…（后面还有 3 字，略）"
    assert text.cut_with_note("一二三", 0, "（{left}）") == "（3）"


@given(st.text())
def test_no_text_breaks_the_analysis(value: str) -> None:
    terms = text.document_terms(value)
    assert set(text.query_terms(value)) <= set(terms)
    assert text.identity(value) == text.identity(text.clean(value))
    assert "\n" not in text.shown_name(value)


@given(st.text(), st.text())
def test_a_document_holds_the_terms_of_its_parts(a: str, b: str) -> None:
    half = text.MAX_INDEXED_CHARS // 2
    assert set(text.query_terms(a[:half])) <= set(text.document_terms(f"{a[:half]}\n{b[:half]}"))
