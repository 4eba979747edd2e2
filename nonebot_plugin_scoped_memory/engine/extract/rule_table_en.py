"""The rules for English sentences. What comes out is Chinese like the rest, so that both languages meet in one item."""

from __future__ import annotations

from .rule_words import NOT_A_NAME, NOT_LIKED, Rule, each, whole

ENGLISH_RULES: tuple[Rule, ...] = (
    Rule(
        name="like_en",
        kind="preference",
        pattern=whole(r"i (?:(?:really|also|just|still) )?(?:like|love|enjoy) (?P<o>.{2,40})"),
        template="{who}喜欢{o}",
        ban=NOT_LIKED,
        examples=(
            ("I like pour-over coffee", "小明（10001）喜欢 pour-over coffee"),
            ("I love Rust too!", "小明（10001）喜欢 Rust"),
        ),
        counterexamples=each(
            "I like you | I'd like a coffee | I used to like coffee | Do I like coffee? | I like to think so",
            "If I like it, I buy it | She said, I like coffee | I love it when it rains | I love the color",
        ),
    ),
    Rule(
        name="dislike_en",
        kind="preference",
        pattern=whole(
            r"i (?:(?:really|also|just|still) )?(?P<v>hate|dislike|(?:do not|don['’]t) (?:really )?like) (?P<o>.{2,40})"
        ),
        template="{who}不喜欢{o}",
        ban=NOT_LIKED,
        examples=(
            ("I hate cilantro", "小明（10001）不喜欢 cilantro"),
            ("I don't like Mondays.", "小明（10001）不喜欢 Mondays"),
        ),
        counterexamples=each("I don't like you | I don't hate it"),
    ),
    Rule(
        name="name_en",
        kind="fact",
        key="name",
        importance=0.8,
        pattern=whole(r"my name(?: is|['’]s) (?P<o>[a-z][a-z .'-]{0,24}|[\u4e00-\u9fff·]{2,6})"),
        template="{who}叫{o}",
        ban=NOT_A_NAME,
        examples=(("My name is Tom", "小明（10001）叫 Tom"),),
        counterexamples=each("My name is what? | His name is Tom"),
    ),
    Rule(
        name="nickname_en",
        kind="preference",
        key="nickname",
        importance=0.8,
        pattern=whole(r"(?:please |you can |just )?call me (?P<o>[a-z][a-z'-]{0,20})"),
        template="{who}希望被叫作{o}",
        ban=NOT_A_NAME,
        examples=(("Just call me Leo", "小明（10001）希望被叫作 Leo"),),
        counterexamples=each("Call me later | Call me maybe | Don't call me Leo"),
    ),
)
