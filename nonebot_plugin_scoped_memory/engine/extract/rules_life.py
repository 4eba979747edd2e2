"""The rules for whom somebody lives with: animals, family, a partner."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_places import PLACES
from .rule_words import AGE, ANIMAL, GRADE, KIN, ME, NAME, NOT_A_NAME, PET_OR_THING, WORKER, Rule, each, whole

_COUNT = r"(?:一|俩|两|三|四|五|六|几|\d)"
_GOT = r"(?:养了?|有|养着|养过?的|领养了?|收养了?|捡了|接了|新养了?|抱养了|买了|添了|带回了?|救助了)"
_NAMED = r"(?:的?名字|小名|大名|给?取名|起名|名)?(?:就|是)?(?:叫做?|名叫)"

LIFE_RULES: tuple[Rule, ...] = (
    Rule(
        name="pet",
        kind="fact",
        pattern=whole(
            rf"(?:{ME}|给我)(?:们?家(?:的|那[只条]|里|养的|新来的)?|的|养的|(?:刚|也|还|家|最近|前几天|上周|"
            rf"现在){{0,4}}{_GOT}一?[只条个台辆匹](?:[\u4e00-\u9fff]{{1,3}}的)?|家?有一?[只条个台辆]|家有个)"
            rf"(?P<t>{ANIMAL}|{PET_OR_THING}|{KIN})(?:主子|回家|回来)?[, ]?\s?{_NAMED}(?!我){NAME}"
        ),
        template="{who}的{t}叫{o}",
        ban=NOT_A_NAME,
        examples=(
            ("我刚接了只布偶回家 叫奶油", "小明（10001）的布偶叫奶油"),
            ("我养了只仓鼠，叫团团", "小明（10001）的仓鼠叫团团"),
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
        name="pet_named",
        kind="fact",
        pattern=whole(
            rf"(?:我家)?(?P<o>[\u4e00-\u9fff]{{1,4}}|[a-z]{{2,12}})\s?是我(?:们?家|养)(?:的|"
            rf"那)?(?:一?[只条])?(?P<t>{ANIMAL})(?:的名字)?(?:啦)?"
        ),
        template="{who}的{t}叫{o}",
        ban=LazyPattern(rf"{NOT_A_NAME.pattern}|图|照片|那|这|头像|就|都|确实|真"),
        examples=(("小绿是我家蜥蜴的名字", "小明（10001）的蜥蜴叫小绿"),),
        counterexamples=each("这是我家的猫 | 你是我家的狗 | 它是我养的猫"),
    ),
    Rule(
        name="kin_name",
        kind="fact",
        pattern=whole(rf"我(?P<t>{KIN})(?:的?名字|的?大名|的?小名)?(?:就)?(?:叫做?|名叫)(?!我){NAME}"),
        template="{who}的{t}叫{o}",
        ban=NOT_A_NAME,
        examples=(("我妹妹叫小雨", "小明（10001）的妹妹叫小雨"),),
        counterexamples=each("我妹妹叫我 | 我妈叫吃饭了 | 我妈叫停了 | 我弟叫什么 | 他妹妹叫小雨"),
    ),
    Rule(
        name="pet_kept",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:{ME}|(?=养了|家里?有))(?:现在|也|刚|最近|还|前几天|上周|今年){{0,4}}(?:们?家里?)?(?:还|"
            rf"也)?{_GOT}(?P<v>{_COUNT}?[只条头匹对窝](?:\S{{0,4}}?的)?)(?P<o>{ANIMAL})(?:回家|回来)?"
            rf"|{ME}(?:现在|也|一直|自己){{0,4}}(?:家里?)?养(?P<o2>{ANIMAL})(?:的|"
            rf"好?[几多]?[\d一二两三四五六七八九十]*年)?"
        ),
        template="{who}养了{v}{o}",
        examples=(
            ("我刚领养了一只小狗", "小明（10001）养了一只小狗"),
            ("我养猫的", "小明（10001）养了猫"),
            ("我养了两只猫", "小明（10001）养了两只猫"),
            ("我家有只柯基", "小明（10001）养了只柯基"),
        ),
        counterexamples=each("我养了什么猫 | 我没养猫 | 我又没养鹦鹉 你认错了 | 我想养只猫 | 他养了两只猫"),
    ),
    Rule(
        name="pet_is",
        kind="fact",
        pattern=whole(
            rf"我(?:们?家|的)(?:的)?(?P<t>{ANIMAL})(?:今年|今天|已经|现在|快|刚|都|就|满){{0,4}}(?P<o>{AGE}|"
            rf"(?:是(?:只|个|条)?{ANIMAL}))(?:大|的)?"
        ),
        template="{who}的{t}{o}",
        examples=(
            ("我家猫今年五岁", "小明（10001）的猫五岁"),
            ("我家猫猫是布偶", "小明（10001）的猫猫是布偶"),
        ),
        counterexamples=each("我家猫几岁了 | 他家猫五岁 | 我家猫五岁的时候"),
    ),
    Rule(
        name="kin",
        kind="fact",
        pattern=whole(
            rf"我(?:们?家|的|有个|有一个){{0,4}}(?P<t>{KIN})\s?(?:今年|现在|目前|刚|已经|都|才|也|明年|快|马上|"
            rf"下学期|开学|就|该|要){{0,4}}(?P<v>上|读|在读|在上|念|满|升|参加)?(?P<o>{GRADE}|{AGE}|高考|中考)(?:大|"
            rf"的)?"
            rf"|我有(?:一?个)?(?P<o2>{AGE})的(?P<t2>{KIN})"
        ),
        template="{who}的{t}{v}{o}",
        dates="stamp",
        examples=(
            ("我家侄女刚上大一 hhh", "小明（10001）的侄女上大一"),
            ("我有个三岁的女儿", "小明（10001）的女儿三岁"),
            ("我女儿三岁了", "小明（10001）的女儿三岁"),
            ("我妹妹今年上高三", "小明（10001）的妹妹上高三"),
            ("我有个弟弟 今年初二", "小明（10001）的弟弟初二"),
        ),
        counterexamples=each("我女儿几岁了 | 他女儿三岁 | 我女儿三岁的时候 | 我们女儿节"),
    ),
    Rule(
        name="kin_has",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:家)?(?:还|也|就|上面|下面|只){{0,4}}有(?P<o>(?:一个|{_COUNT}个|个|俩)?(?:亲)?{KIN}|娃)(?:的)?|"
            rf"{ME}家(?P<o2>[一两三四]个(?:娃|孩子|儿子|女儿|姐妹|兄弟))"
        ),
        template="{who}有{o}",
        examples=(("我有两个姐姐", "小明（10001）有两个姐姐"),),
        counterexamples=each("我有女朋友就好了 | 我有几个姐姐 | 他有两个姐姐 | 我没有弟弟"),
    ),
    Rule(
        name="only_child",
        kind="fact",
        pattern=whole(rf"{ME}(?:是|家里){{0,4}}(?:个)?(?P<o>独生[子女](?:女)?|独子|独女)"),
        template="{who}是{o}",
        examples=(("我是独生子", "小明（10001）是独生子"),),
        counterexamples=each("我是独生子吗 | 他是独生子"),
    ),
    Rule(
        name="kin_does",
        kind="fact",
        pattern=whole(
            rf"我(?:的)?(?P<t>{KIN})(?:现在|也|就|都|以前一直|一直){{0,4}}(?P<o>是(?:一[个名])?(?:当|做)?{WORKER}|"
            rf"是(?:{PLACES})人|在(?:{PLACES})(?:工作|上班|上学|读书|读[研博]|打工)|在读[研博]|在(?:当兵|"
            rf"部队))(?:的)?"
        ),
        template="{who}的{t}{o}",
        ban=LazyPattern(r"高手|选手|对手|新手|最|老大|专家|人家|大家|回家"),
        examples=(
            ("我爸是医生", "小明（10001）的爸是医生"),
            ("我对象是四川人", "小明（10001）的对象是四川人"),
        ),
        counterexamples=each("我爸是李刚 | 他爸是医生 | 我爸是医生吗 | 我妈是老大 | 我儿子是高手"),
    ),
    Rule(
        name="parent",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:已经|刚|也|要|终于|怀孕|都){{0,4}}(?P<o>当[爸妈]妈?爸?|"
            rf"怀孕(?:[\d一二两三四五六七八九十]{{1,2}}(?:个月|周))?|有娃|生了个?(?:儿子|女儿|闺女))"
        ),
        template="{who}{o}",
        examples=(("我当爸了", "小明（10001）当爸"),),
        counterexamples=each("我当妈了吗 | 她怀孕了 | 我没怀孕"),
    ),
    Rule(
        name="married",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:{ME}|(?=已婚|母胎))(?:已经|早就|还是|现在|一直|刚|也|是|个|就|都|还|至今|目前|"
            rf"刚刚){{0,4}}(?P<o>(?:去年|今年|前年|上个?月)结的?婚|(?:去年|今年|上个?月)领的?证|"
            rf"结婚(?:了?[\d一二两三四五六七八九十]{{1,2}}年)?|已婚|离异|离婚|订婚|领证|"
            rf"脱单|(?:母胎|母单|万年)?单身(?:[\d一二两三四五六七八九十]{{1,2}}年)?|母单|未婚|有(?:对象|女朋友|"
            rf"男朋友|女友|男友|老婆|老公)|没(?:有)?(?:对象|女朋友|男朋友)|分手|失恋|(?:还)?没结婚|丁克|"
            rf"不婚主义者?)(?:狗|汪|人士|一[个枚只]|的|状态){{0,4}}"
            r"|(?P<o2>单身[\d一二两三四五六七八九十]{1,2}年)"
        ),
        template="{who}{o}",
        examples=(
            ("我有对象了", "小明（10001）有对象"),
            ("我结婚了", "小明（10001）结婚"),
            ("我已经结婚两年了", "小明（10001）结婚两年"),
            ("我单身", "小明（10001）单身"),
        ),
        counterexamples=each(
            "我有女朋友就好了 | 我要是有对象 | 我没有", "我结婚那天 | 我要结婚了 | 单身 | 他单身 | 我单身吗"
        ),
    ),
)
