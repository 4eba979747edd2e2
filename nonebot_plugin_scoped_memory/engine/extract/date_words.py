"""The words that mean a day, as patterns on folded text. ``dates`` says which day."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .calendar_words import FEAST
from .lazy_pattern import LazyPattern

_NUMERAL = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
_DAY_OF_MONTH = r"(?:\d{1,2}(?!\d)|[一二三四五六七八九十]{1,3})"
_WEEK = r"(?:周|星期|礼拜)"
WEEKDAYS = "一二三四五六日"
ENGLISH_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ENGLISH_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NAME = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in ENGLISH_MONTHS)
_NOT_RECURRING = r"(?<![每逢各隔单双])"

# What can only mean one day, on folded text. 日 only where it cannot begin a word, 后天 not where it means "acquired".
_CERTAIN_PARTS: dict[str, str] = {
    "iso": r"(?<!\d)(?P<iy>20\d{2})\s?[-/.年]\s?(?P<im>\d{1,2})\s?[-/.月]\s?(?P<id>\d{1,2})(?!\d)[日号]?",
    "shift": r"(?P<far>大前|大后|前|昨|今|明|后)(?P<part>天(?!的努力|性|气|赋|生)|晚上?|早上?|日(?![本语常记])|"
    r"儿(?![子童媳女歌])个?)",
    "later": rf"(?<!\d)(?:过)?(?:(?P<ln>{_NUMERAL}|半)\s?个?(?P<lu>天|周|星期|礼拜|月|年|小时|钟头|"
    r"分钟))\s?[之以]?(?P<lw>后(?!面)|内)",
    "past": rf"(?:(?<!不)再?过|(?:还有|还剩)(?=[^就要到考]{{1,4}}[就要到考]))(?P<pn>{_NUMERAL})(?P<pu>天|周|"
    rf"个?星期|个?礼拜)(?!的|内|后)",
    "week": rf"{_NOT_RECURRING}(?P<wp>下下个?|下个?|这个?|(?<![副版样文剧课书])本|上上个?|"
    rf"上个?){_WEEK}(?P<wd>[{WEEKDAYS}天末](?!起|到|至))?",
    "month": rf"{_NOT_RECURRING}(?P<mp>下下个?|下个?|这个?|本|上个?)月(?:(?P<md>{_DAY_OF_MONTH})\s?[号日]|"
    r"(?P<me>底|末|初|中旬))?",
    "year": rf"(?P<yp>今|明|后|去|前)年(?:(?P<yf>{FEAST})|(?P<ym>{_DAY_OF_MONTH})\s?月(?:(?P<yd>{_DAY_OF_MONTH}"
    r")\s?[号日]?)?|(?P<ye>年?底|年末))?",
    "near": r"(?<![a-z])(?P<en>the day after tomorrow|tomorrow|tonight|today)(?![a-z])",
    "in": r"(?<![a-z])in (?P<inn>\d{1,3}|an?|one|two|three|four|five|six|seven|ten) (?P<inu>minute|hour|day|"
    r"week|month)s?(?![a-z])",
    "next": rf"(?<![a-z])(?P<np>next|this) (?P<nd>{'|'.join(ENGLISH_DAYS)}|week|month)(?![a-z])",
}
# What means a day where something is to be done, and elsewhere often a habit, a birthday or a rule.
_LIKELY_PARTS: dict[str, str] = {
    "weekday": rf"(?<![每逢各隔单双下上这本个到至和、]){_WEEK}(?P<bd>[{WEEKDAYS}天末])(?![{WEEKDAYS}到至和、])",
    "edge": r"(?<![每个今明去年下上这本\d一二三四五六七八九十])(?P<be>月底|月末|月初|年底|年末)",
    "lunar": r"(?:(?:大年|正月)初(?P<lunar_day>[一二三四五六七八九十])|"
    r"正月(?P<lunar_late>二?十[一二三四五六七八九]?|三十))",
    "day": rf"(?<![\d年月])(?P<dm>{_DAY_OF_MONTH})\s?月\s?(?P<dd>{_DAY_OF_MONTH})\s?[号日]?",
    "ending": rf"(?<![\d年月])(?P<fm>{_DAY_OF_MONTH})\s?月(?P<fe>底|末|初|中旬)",
    "dotted": r"(?<![\d./:v-])(?<![a-z] )(?P<tm>1[0-2]|[1-9])[./](?P<td>3[01]|[12]\d|0?[1-9])(?![\d./:%]|"
    r"\s?[元块万千个倍次分版])",
    "number": r"(?<![\d.第月周一二三四五六七八九十])(?P<nn>3[01]|[12]?\d|二?十[一二三四五六七八九]?|三十一?|"
    r"[一二三四五六七八九](?=号))[号日](?![楼线门店机馆位房桌球院群厅车文元本])",
    "feast": rf"(?<!每年)(?<![每去])(?P<feast>{FEAST})(?!档|晚会|联欢)",
    "english": rf"(?<![a-z])(?:on |by )(?P<ew>{'|'.join(ENGLISH_DAYS)})(?![a-z])",
    "months": rf"(?<![a-z])(?:(?:on|by) )?(?P<em>{_MONTH_NAME}) (?P<ed>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)",
    "end": r"(?:by |at )?the end of (?:the|this) month",
}


def _pattern(parts: Mapping[str, str]) -> str:
    return "|".join(f"(?P<k_{name}>{part})" for name, part in parts.items())


CERTAIN = LazyPattern(_pattern(_CERTAIN_PARTS))
LIKELY = LazyPattern(_pattern({**_CERTAIN_PARTS, **_LIKELY_PARTS}))

WHEN = "(?:" + re.sub(r"\?P<\w+>", "?:", _pattern({**_CERTAIN_PARTS, **_LIKELY_PARTS})) + ")"
"""A pattern for any of these words, without groups, on folded text."""
