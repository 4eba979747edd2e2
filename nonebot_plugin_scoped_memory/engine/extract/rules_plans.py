"""The rules for what somebody has to do or plans, with its day. Each ends with that day."""

from __future__ import annotations

from .date_words import WHEN
from .lazy_pattern import LazyPattern
from .rule_words import ME, Rule, each, whole

_CLOCK = (
    r"(?:\s?(?:的?时候)?(?:凌晨|早上|上午|中午|下午|傍晚|晚上|半夜|早|晚)?"
    r"(?:\s?(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:半|一刻|三刻|[\d一二三四五十]{1,3}分?)?|\s?\d{1,2}:\d{2})?)"
)
_BY = rf"(?:在)?{WHEN}{_CLOCK}(?:之前|以前|前)?[, ]?"
_DUTY = (
    r"(?:要|得(?!到|了)|必须|需要|还要|还得|一定要|应该要|就要|就得|才要|打算|准备|计划|约了|"
    r"有(?=.{0,6}(?:考试|会|面试|答辩|课)))"
)
_GO = (
    r"(?:去(?!世|死|年)|回(?!答|复|头|来)|飞(?!机)|出发|到(?!了|处|底)|交(?!给我)|考|面试|搬|开会|答辩|"
    r"体检|出差|请假|提交|上线)"
)
_NOT_TO_DO = LazyPattern(
    r"下雨|降温|下雪|放假$|停[电水]|刮风|热死|冷死|更新$|维护$|上班(?!.)|上学$|上课$|早起$|加班$|睡觉|"
    r"睡了$|洗澡|吃饭$|累死|疯|完蛋|"
    r"[吗呢吧]$|不去|不要|取消|不用|怎么|再说|看看吧|一起去|^.{0,12}再"
)
_NOT_TODAY = r"(?!今[天晚早日])"

PLAN_RULES: tuple[Rule, ...] = (
    Rule(
        name="starting",
        kind="fact",
        bare=True,
        dates="due",
        pattern=whole(
            rf"{ME}?(?:找到工作了[, ]?)?(?P<o>{_NOT_TODAY}{_BY}(?:就|要|正式)?(?:(?:去|"
            rf"到).{{2,14}}(?:上班|报到)|开始去?.{{2,14}}(?:上班|工作)|入职.{{0,14}}))"
        ),
        template="{who}{o}",
        examples=(("我下周一入职出版社", "小明（10001）2026-12-07入职出版社"),),
        counterexamples=each("我下周一入职吗 | 我去上班了 | 明天去上班 | 他下周一入职出版社"),
    ),
    Rule(
        name="reminder",
        kind="task",
        importance=0.7,
        dates="due",
        pattern=whole(
            rf"(?:请|麻烦|记得|到时候?|小\S)?(?P<v>{_BY})(?:记得|请|要|你)?(?:提醒|叫|"
            rf"喊)(?:一下)?我(?:一下|一声)?(?:要|得|去)?(?P<o>.{{2,40}})"
        ),
        template="{who}{v}要{o}",
        examples=(
            ("明天提醒我交周报", "小明（10001）2026-12-01要交周报"),
            ("下周三早上八点提醒我去体检", "小明（10001）2026-12-09早上八点要体检"),
        ),
        counterexamples=each("明天提醒他交周报 | 别提醒我 | 明天提醒我什么 | 如果下雨明天提醒我带伞"),
    ),
    Rule(
        name="reminder_first",
        kind="task",
        importance=0.7,
        dates="due",
        pattern=whole(rf"(?:请|麻烦|记得|到时候?)?提醒我(?:一下)?(?:在|要)?(?P<v>{_BY})(?:要|得|去)?(?P<o>.{{2,40}})"),
        template="{who}{v}要{o}",
        examples=(("请提醒我后天交房租", "小明（10001）2026-12-02要交房租"),),
        counterexamples=each("提醒我交房租吗 | 他提醒我后天交房租 | 提醒我一下"),
    ),
    Rule(
        name="remember_to",
        kind="task",
        importance=0.6,
        to_bot=True,
        dates="due",
        pattern=whole(rf"记得(?P<v>{_BY})(?:要|得)?(?P<o>.{{2,40}})"),
        template="{who}{v}要{o}",
        ban=_NOT_TO_DO,
        examples=(("记得下周三交周报", "小明（10001）2026-12-09要交周报"),),
        counterexamples=each("我记得下周三交周报 | 记得吗 | 还记得昨天去了公园吗 | 记得上周三去了北京"),
    ),
    Rule(
        name="todo",
        kind="task",
        importance=0.6,
        bare=True,
        dates="due",
        pattern=whole(
            rf"(?:{ME}(?:想起来)?(?:了我)?(?:现在|还|也)?(?P<o>(?:{_DUTY})?{_BY}(?:我)?(?:就|还|又|才|"
            rf"都)?(?:{_DUTY}|{_GO}).{{1,36}}|(?:要|得|必须|需要|打算)在?{_BY}.{{2,36}})"
            rf"|(?P<o2>{_BY}(?:我)?(?:就|还|又|才|都)?(?:{_DUTY}|出发去?|截止).{{1,36}}))"
        ),
        template="{who}{o}",
        ban=_NOT_TO_DO,
        examples=(
            ("我明天要交报告", "小明（10001）2026-12-01要交报告"),
            ("下周三得去体检", "小明（10001）2026-12-09得去体检"),
            ("我要在12月5号之前交设计稿", "小明（10001）要在2026-12-05之前交设计稿"),
            ("我月底要搬家", "小明（10001）2026年11月底要搬家"),
            ("我打算下周五去黄山", "小明（10001）打算2026-12-11去黄山"),
            ("我3天后去敦煌", "小明（10001）2026-12-03去敦煌"),
            ("明天我得去补牙", "小明（10001）2026-12-01小明（10001）得去补牙"),
            ("我除夕要回家", "小明（10001）2027-02-05（除夕）要回家"),
        ),
        counterexamples=each(
            "我要交报告 | 他明天要交报告 | 小红说他明天要去日本 | 我昨天去了敦煌 | 我明天要是有空就去 | 明天要下雨",
            "要不要明天一起去 | 我明天去哪 | 如果我明天不用上班，我就去爬山 | 明天要交什么 | 明天要加班",
            "我明天有没有说要交报告来着",
        ),
    ),
    Rule(
        name="trip",
        kind="task",
        importance=0.6,
        bare=True,
        dates="due",
        pattern=whole(
            rf"(?P<o>{_NOT_TODAY}{_BY}(?:我)?(?:就|要)?(?:去|飞|回)(?!不|没|"
            rf"哪)[\u4e00-\u9fff]{{2,12}}(?:玩|出差|旅游|旅行|面试|考试|体检)?)"
        ),
        template="{who}{o}",
        ban=_NOT_TO_DO,
        examples=(("下周五去黄山玩 票都买好了", "小明（10001）2026-12-11去黄山玩"),),
        counterexamples=each(
            "下周五去黄山吗 | 去黄山玩 | 下周五去不去黄山 | 昨天去黄山玩 | 我们下周五去黄山 | 小红 下周五去黄山"
        ),
    ),
    Rule(
        name="moved_plan",
        kind="task",
        importance=0.6,
        bare=True,
        dates="due",
        pattern=whole(
            rf"(?:计划有变[, ]?)?我?(?:改成|改到|改为|推迟到|提前到)(?P<o>{_BY}(?:再)?(?:去|交|考|回|飞|"
            rf"出发).{{1,24}})"
        ),
        template="{who}改到{o}",
        examples=(("计划有变，改到下周五去黄山", "小明（10001）改到2026-12-11去黄山"),),
        counterexamples=each("改到下周五 | 他改到下周五去黄山 | 改到下周五去黄山吗"),
    ),
    Rule(
        name="chat_todo",
        kind="task",
        importance=0.6,
        common=True,
        dates="due",
        pattern=whole(
            rf"(?:@?全体成员\s?|大家|各位|所有人)(?P<o>{_BY}(?:都|请|务必|记得|要|得)?(?:把|将|交|填|提交|"
            rf"完成|报名|发).{{2,30}})"
        ),
        template="大家{o}",
        examples=(("大家下周三之前把报名表交给班长", "大家2026-12-09之前把报名表交给班长"),),
        counterexamples=each("大家把报名表交了吗 | 大家下周三去哪 | 他们下周三之前把报名表交了"),
    ),
)
