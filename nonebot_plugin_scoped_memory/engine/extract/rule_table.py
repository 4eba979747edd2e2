"""The rules, as one table. Each stands with sentences that it must match, and what comes out, and with sentences that
no rule may match (separated by |). The table is the test; the speaker of each example is 小明, ``qq:user:10001``, who
speaks on Monday 2026-11-30 in Shanghai, in a private chat where the rule is about the bot.

Patterns match a whole clause (or sentence) of folded text: Simplified characters, half width, lower case. ``o`` is what
the speaker likes, is called and so on, and is checked once more by ``matching``; other groups go into the template as
they were written. ``o2`` and the like are ``o`` in another branch. The first rule that matches a clause has it.
"""

from __future__ import annotations

from .rule_table_en import ENGLISH_RULES
from .rule_words import Rule
from .rules_dislikes import DISLIKE_RULES
from .rules_habits import HABIT_RULES
from .rules_homes import HOME_RULES
from .rules_leanings import LEANING_RULES
from .rules_life import LIFE_RULES
from .rules_living import LIVING_RULES
from .rules_methods import METHOD_RULES
from .rules_plans import PLAN_RULES
from .rules_self import SELF_RULES
from .rules_shared import SHARED_RULES
from .rules_study import STUDY_RULES
from .rules_tastes import TASTE_RULES
from .rules_things import THING_RULES
from .rules_wishes import WISH_RULES
from .rules_work import WORK_RULES

__all__ = ["CLAUSE_RULES", "RULES", "SENTENCE_RULES", "Rule"]

RULES: tuple[Rule, ...] = (
    *WISH_RULES,
    *DISLIKE_RULES,
    *TASTE_RULES,
    *LEANING_RULES,
    *SELF_RULES,
    *STUDY_RULES,
    *WORK_RULES,
    *THING_RULES,
    *HOME_RULES,
    *LIFE_RULES,
    *LIVING_RULES,
    *HABIT_RULES,
    *PLAN_RULES,
    *SHARED_RULES,
    *METHOD_RULES,
    *ENGLISH_RULES,
)
CLAUSE_RULES = tuple(rule for rule in RULES if rule.over == "clause")
SENTENCE_RULES = tuple(rule for rule in RULES if rule.over == "sentence")
