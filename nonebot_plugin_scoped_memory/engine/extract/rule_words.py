"""What a rule is, and the vocabulary of the rules: parts of patterns on folded text, and what no object may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..models import Kind


def each(*lines: str) -> tuple[str, ...]:
    """The sentences between | in ``lines``."""
    return tuple(sentence.strip() for line in lines for sentence in line.split("|"))


@dataclass(frozen=True, slots=True)
class Rule:
    """``template`` is filled with ``who`` and the pattern's groups. ``ban`` is searched in ``o``: a hit is no match.

    ``over``: the pattern covers a clause, or a sentence with its commas.
    """

    name: str
    kind: Kind
    pattern: re.Pattern[str]
    template: str
    examples: tuple[tuple[str, str], ...]
    counterexamples: tuple[str, ...] = ()
    key: str | None = None
    ban: re.Pattern[str] | None = None
    over: Literal["clause", "sentence"] = "clause"
    importance: float = 0.5


# How firmly something is said does not matter; 以前 or 可能 does, and so is not among these.
FIRMLY = (
    r"(?:(?:一直|真的|特别|非常|很|超级|超|也|都|比较|挺|蛮|更|还是|就是|就|还|老|现在|最近|平时|从小就|"
    r"一向|向来|好|太|尤其|格外|相当|个人)\s?){0,3}"
)
NAME = r"\s?(?P<o>[\u4e00-\u9fff·]{1,6}|[a-z][a-z0-9 .'_-]{0,24})"
SHORT_NAME = NAME.replace("{1,6}", "{1,6}?").replace("{0,24}", "{0,24}?")
SO_BE_IT = r"(?:就好了?|就行了?|就可以了?|即可|吧|好了)"
LANGUAGE = (
    r"(?:python|javascript|java|typescript|js|ts|golang|go|rust|c\+\+|c#|c语言|c|f#|kotlin|swift|ruby|php|scala|lua|r|"
    r"julia|haskell|elixir|erlang|dart|perl|matlab|sql|shell|bash|汇编|zig|ocaml|clojure|objective-c|vb|delphi|pascal|"
    r"易语言|nim)"
)
PLACES = "|".join(
    (
        "北京 上海 天津 重庆 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 "
        "四川 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 内蒙 广西 西藏 宁夏 新疆 香港 澳门 东北 石家庄 太原 沈阳 大连 "
        "长春 哈尔滨 南京 苏州 无锡 常州 南通 徐州 扬州 杭州 宁波 温州 绍兴 嘉兴 金华 合肥 福州 厦门 泉州 南昌 "
        "济南 青岛 烟台 潍坊 郑州 洛阳 武汉 宜昌 长沙 广州 深圳 珠海 佛山 东莞 汕头 中山 海口 三亚 成都 绵阳 贵阳 "
        "遵义 昆明 大理 西安 咸阳 兰州 西宁 南宁 桂林 拉萨 银川 乌鲁木齐 呼和浩特 包头 台北 高雄 潮汕 客家 "
        "法国 德国 英国 美国 日本 韩国 俄罗斯 新加坡 马来西亚 加拿大 澳大利亚 越南 泰国"
    ).split()
)
DAY = (
    r"(?P<o>(?:(?:\d{4}|[零〇一二三四五六七八九]{4})\s?[年./-]\s?)?(?:农历|阴历|阳历|公历)?"
    r"(?:\d{1,2}|[一二三四五六七八九十正腊冬]{1,2})\s?[月./-]\s?"
    r"(?:初?\d{1,2}|[初廿]?[一二三四五六七八九十]{1,3})\s?[日号]?)"
)
PET_OR_THING = (
    r"(?:猫咪?|小猫|狗狗?|小狗|兔子|仓鼠|鹦鹉|乌龟|宠物|鱼|蛇|蜥蜴|龙猫|车|电脑|服务器|吉他|儿子|女儿|老婆|老公|"
    r"孩子|宝宝|弟弟|妹妹|哥哥|姐姐)"
)
NOT_A_NAME = re.compile(
    r"^[了得不来过着出你他她它人车吃喝去回下做干买帮带先别起滚等让给把醒停份点碗杯两]|^一个|外卖|滴滴|代驾|快递|服务员|"
    r"保安|家长|我|妈|爸|朋友|同学|老师|起床|一声|一下|帮忙|过来|怎么|"
    r"^(?:a|an|the|me|at|in|on|when|if|later|back|maybe|tomorrow|today|tonight|crazy|anytime|it|that)\b"
)
NOT_LIKED = re.compile(
    r"^(?:的.|了|过(?!山车|年|桥)|得|极|就|死|人|情$|豆|奇艺|莫能|咋|个[屁鬼毛锤]|一个[人女男]|某|有人|不起来|不不|"
    r"to\b|how\b|when\b|it\b|the\b|all the\b|both\b|one\b|not\b|seeing\b|being\b)|"
    r"^(?:的|上|[吃喝看听玩用去做写读买说])$|大家|群主|群友|各位"
)
NOT_FEARED = re.compile(r"不|没|会|要|了|是|迟到|错过|忘|来|被|影响|耽误|今天|明天|后天|下雨|打扰")
NOT_A_HOME = re.compile(
    r"朋友|酒店|宾馆|旅馆|民宿|医院|里面|附近|隔壁|\d天|几天|年|月$|一起|楼上|楼下|心里|对面|宿舍$|学校$|公司$|家里$"
)
NOT_DECIDED = re.compile(r"^(?:了|不了|不下来|一下|好了吗|个|的)$|^(?:了?不|权|性)|^的")
LIKED = r"(?:喜欢|爱吃|爱喝|爱看|爱听|爱玩|热爱|偏爱|钟爱|爱)"


def whole(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + r"[了啊哦呀啦哟喔~!.\s]*")
