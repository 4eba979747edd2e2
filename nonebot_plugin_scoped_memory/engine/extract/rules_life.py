"""The rules for whom somebody lives with, and their work and study."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import (
    AGE,
    ANIMAL,
    GRADE,
    KIN,
    ME,
    NAME,
    NOT_A_JOB,
    NOT_A_NAME,
    PET_OR_THING,
    WORKER,
    Rule,
    each,
    whole,
)

LIFE_RULES: tuple[Rule, ...] = (
    Rule(
        name="pet",
        kind="fact",
        pattern=whole(
            rf"我(?:们?家的?|的|养的|养了一?[只条个]|家?有一?[只条个台辆]|家有个)(?P<t>{ANIMAL}|{PET_OR_THING}|{KIN})"
            rf"\s?(?:的?名字)?(?:叫做?|名叫)(?!我){NAME}"
        ),
        template="{who}的{t}叫{o}",
        ban=NOT_A_NAME,
        examples=(
            ("我的猫叫豆豆", "小明（10001）的猫叫豆豆"),
            ("我家狗狗叫 Lucky", "小明（10001）的狗狗叫 Lucky"),
            ("我的服务器叫阿波罗", "小明（10001）的服务器叫阿波罗"),
            ("我有一只猫叫豆豆", "小明（10001）的猫叫豆豆"),
            ("我有一只橘猫 名字叫年糕", "小明（10001）的橘猫叫年糕"),
        ),
        counterexamples=each(
            "我的猫叫什么 | 我的猫叫了一晚上 | 我妈叫我回家 | 我的猫叫得很惨 | 小红的猫叫豆豆",
            "我的儿子叫我起床",
        ),
    ),
    Rule(
        name="kin_name",
        kind="fact",
        pattern=whole(rf"我(?P<t>{KIN})(?:的?名字|的?大名)?(?:叫做?|名叫)(?!我){NAME}"),
        template="{who}的{t}叫{o}",
        ban=NOT_A_NAME,
        examples=(("我妹妹叫小雨", "小明（10001）的妹妹叫小雨"),),
        counterexamples=each("我妹妹叫我 | 我妈叫吃饭了 | 我妈叫停了 | 我弟叫什么 | 他妹妹叫小雨"),
    ),
    Rule(
        name="pet_kept",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:现在|也)?(?:家里?)?(?:养了?|有|养着)(?P<v>(?:一|两|三|四|五|"
            rf"\d)?[只条头匹对窝](?:\S{{0,4}}?的)?)(?P<o>{ANIMAL})"
        ),
        template="{who}养了{v}{o}",
        examples=(("我养了两只猫", "小明（10001）养了两只猫"), ("我家有只柯基", "小明（10001）养了只柯基")),
        counterexamples=each("我养了什么猫 | 我没养猫 | 我又没养鹦鹉 你认错了 | 我想养只猫 | 他养了两只猫"),
    ),
    Rule(
        name="kin",
        kind="fact",
        pattern=whole(
            rf"我(?:家|的|有个|有一个)?(?P<t>{KIN})\s?(?:今年|现在|目前|刚|已经|都)?(?P<v>上|读|在读|"
            rf"在上|念|刚上|满)?(?P<o>{GRADE}|{AGE})"
        ),
        template="{who}的{t}{v}{o}",
        dates="stamp",
        examples=(
            ("我女儿三岁了", "小明（10001）的女儿三岁"),
            ("我妹妹今年上高三", "小明（10001）的妹妹上高三"),
            ("我有个弟弟 今年初二", "小明（10001）的弟弟初二"),
        ),
        counterexamples=each("我女儿几岁了 | 他女儿三岁 | 我女儿三岁的时候 | 我们女儿节"),
    ),
    Rule(
        name="married",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"{ME}(?:已经|早就|还是|现在)?(?P<o>结婚(?:了?[\d一二两三四五六七八九十]{{1,2}}年)?|已婚|"
            rf"单身(?:[\d一二两三四五六七八九十]{{1,2}}年)?|未婚|离婚)"
            r"|(?P<o2>单身[\d一二两三四五六七八九十]{1,2}年)"
        ),
        template="{who}{o}",
        examples=(
            ("我结婚了", "小明（10001）结婚"),
            ("我已经结婚两年了", "小明（10001）结婚两年"),
            ("我单身", "小明（10001）单身"),
        ),
        counterexamples=each("我结婚那天 | 我要结婚了 | 单身 | 他单身 | 我单身吗"),
    ),
    Rule(
        name="job",
        kind="fact",
        key="job",
        importance=0.6,
        bare=True,
        pattern=whole(
            rf"(?:我(?:现在|目前|以前一直)?(?:就|也)?是一?[个名位]?(?P<o>{WORKER})"
            r"|(?:我|我们公司)?(?:是|现在是)(?:专门)?做(?P<o2>[\u4e00-\u9fffa-z/ ]{1,10})的)"
        ),
        template="{who}的工作是{o}",
        ban=NOT_A_JOB,
        examples=(
            ("我是程序员", "小明（10001）的工作是程序员"),
            ("我是做前端的", "小明（10001）的工作是前端"),
            ("我是个护士", "小明（10001）的工作是护士"),
        ),
        counterexamples=each(
            "我是做梦的 | 我是好人 | 我是群员 | 我是机器人 | 我不是程序员 | 他是程序员 | 我是大家的 |"
            " 我是新手 | 我是不是程序员"
        ),
    ),
    Rule(
        name="job_by_word",
        kind="fact",
        key="job",
        importance=0.6,
        bare=True,
        pattern=whole(
            r"(?:我(?:现在)?的?(?:工作|职业|本职工?作?)(?:就|还)?是(?P<o>.{2,12})|职业(?!病|生涯|道德|"
            r"规划|技能|选手)\s?:?(?P<o2>[\u4e00-\u9fffa-z]{2,10}))"
        ),
        template="{who}的工作是{o}",
        ban=NOT_A_JOB,
        examples=(("我现在的工作是法务", "小明（10001）的工作是法务"), ("职业兽医", "小明（10001）的工作是兽医")),
        counterexamples=each("我的工作是什么 | 我的工作是摸鱼吗 | 职业病 | 职业生涯结束了"),
    ),
    Rule(
        name="job_held",
        kind="fact",
        key="job",
        importance=0.6,
        bare=True,
        pattern=whole(
            r"(?:我(?:现在)?在.{2,12}?(?:当|做|担任)(?P<o>[\u4e00-\u9fffa-z]{2,10})"
            r"|(?:我(?:毕业以?后|现在|目前|一直)+|现在)(?:一直)?(?:做|当|从事)(?P<o2>[\u4e00-\u9fffa-z]{2,10}))"
        ),
        template="{who}的工作是{o}",
        ban=LazyPattern(rf"{NOT_A_JOB.pattern}|[了着过来去好不得完]|事|活|梦|一"),
        examples=(
            ("我在一家小公司当会计", "小明（10001）的工作是会计"),
            ("我转行了 现在做产品经理", "小明（10001）的工作是产品经理"),
            ("我毕业以后一直做兽医", "小明（10001）的工作是兽医"),
        ),
        counterexamples=each("我在家做饭 | 现在做什么 | 我现在做作业 | 他在一家小公司当会计"),
    ),
    Rule(
        name="workplace",
        kind="fact",
        key="workplace",
        pattern=whole(r"我(?:现在|目前)?(?P<v>在)(?P<o>[\u4e00-\u9fffa-z0-9 ]{2,16}?)(?:工作|上班|任职)"),
        template="{who}在{o}上班",
        ban=LazyPattern(r"家$|这|那|哪|努力|认真|好好|辛苦|一起|加班|路上|外面"),
        examples=(("我在腾讯上班", "小明（10001）在腾讯上班"), ("我在一家医院工作", "小明（10001）在一家医院上班")),
        counterexamples=each("我在家上班 | 我在哪上班 | 我在上班 | 他在腾讯上班 | 我在努力工作"),
    ),
    Rule(
        name="study",
        kind="fact",
        key="major",
        bare=True,
        pattern=whole(
            r"(?:我(?:是|现在)?(?:学|读)(?P<o>[\u4e00-\u9fffa-z]{2,12})的"
            r"|我(?:大学|本科|研究生|硕士|博士)(?:读|学|念)的?(?:是)?(?P<o2>[\u4e00-\u9fffa-z]{2,12}))(?:专业)?"
        ),
        template="{who}学的是{o}",
        ban=LazyPattern(r"[了着过不没]|什么|啥|会|到|完|时候|哪|书|习"),
        examples=(
            ("我学土木的", "小明（10001）学的是土木"),
            ("我大学读的心理学", "小明（10001）学的是心理学"),
        ),
        counterexamples=each("我学什么的 | 他学土木的 | 我学不会的 | 我大学读的时候"),
    ),
    Rule(
        name="major",
        kind="fact",
        key="major",
        pattern=whole(
            r"(?:我的?专业(?:就)?是(?P<o>[\u4e00-\u9fffa-z]{2,12})|"
            r"我是?(?P<o2>[\u4e00-\u9fffa-z]{2,10})专业的?(?:学生)?)"
        ),
        template="{who}的专业是{o}",
        ban=LazyPattern(r"什么|啥|哪|不|^[是的很这那]"),
        examples=(
            ("我专业是法学", "小明（10001）的专业是法学"),
            ("我是会计学专业的", "小明（10001）的专业是会计学"),
        ),
        counterexamples=each("我专业是什么 | 我是很专业的 | 他是会计学专业的 | 我不是专业的"),
    ),
    Rule(
        name="school_year",
        kind="fact",
        key="school",
        bare=True,
        dates="stamp",
        pattern=whole(
            rf"{ME}(?:今年|现在|目前|已经|刚|才|还?在|是)?(?P<o>(?:上|读|念|在读)?(?:{GRADE})|考研|"
            rf"考公|考博|读研|读博|备考(?:[\u4e00-\u9fff]{{2,6}}))(?:学生|的|中)?"
        ),
        template="{who}{o}",
        ban=LazyPattern(r"^(?:[小中大]班|小学|初中|高中|大学|幼儿园|本科)$"),
        examples=(("我大三了", "小明（10001）大三"), ("我在考研", "小明（10001）考研")),
        counterexamples=each("我大三的时候 | 他大三了 | 我大学同学 | 我高三那年 | 我以前考研"),
    ),
)
