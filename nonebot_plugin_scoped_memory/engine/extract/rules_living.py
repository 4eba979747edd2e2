"""The rules for how somebody lives: body and food, habits, what they can do, what they use."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import HABITUAL, INSTRUMENT_OR_ART, ME, NOT_A_HABIT, Rule, each, whole

_NOT_ALLERGIC = LazyPattern(
    r"皮肤|今天|昨天|又|鼻子|脸|好像|容易|已经|现在|春天|换季|季节|会|是|妈|爸|弟|妹|哥|姐|朋友|同[学事]|"
    r"室友|家的?[猫狗]|[的了]$"
)
_FOOD = r"[\u4e00-\u9fffa-z]{1,6}?"
_NOT_FOOD = LazyPattern(
    r"不掉|饭|了|这套|亏|软|硬|完|下$|到|着|过|起|惯|动|吗|什么|早餐?$|午餐?$|晚餐?$|夜宵|药|哪|那|这|"
    r"出来|多|少$|不掉|[你他她它我]|醋|瘾"
)
_TOOL = (
    r"(?=[\u4e00-\u9fff]{0,8}[a-z0-9]|[\u4e00-\u9fff]{0,6}(?:输入法|键盘|手机|电脑|浏览器|编辑器|系统|"
    r"笔记本|相机|耳机|双拼|五笔|仓颉|安卓|苹果|华为|小米|鸿蒙))"
)
_NOT_A_TOOL = LazyPattern(
    r"来|了[^\u4e00-\u9fff]|着|过|什么|哪|报错|不|写|跑|看|打开|下载|安装|的时候|第|\d+(?:块|元|天|年|个|"
    r"分钟|小时)|^\d+$"
)

LIVING_RULES: tuple[Rule, ...] = (
    Rule(
        name="allergy",
        kind="fact",
        importance=0.9,
        pattern=whole(
            rf"(?:{ME}(?:是)?对?(?P<o>[^不没都,]{{1,12}}?)(?:严重|重度|轻微|有点|有)?过敏(?:啊.{{0,16}}|的)?)"
        ),
        template="{who}对{o}过敏",
        ban=_NOT_ALLERGIC,
        examples=(
            ("我对花生过敏", "小明（10001）对花生过敏"),
            ("我对海鲜严重过敏！", "小明（10001）对海鲜过敏"),
            ("我芒果过敏", "小明（10001）对芒果过敏"),
        ),
        counterexamples=each(
            "我对花生不过敏 | 我对什么过敏 | 我对你过敏 | 我对花生没过敏 | 小红对花生过敏 | 我同事对花生过敏",
            "我皮肤过敏 | 我今天过敏了 | 我又过敏了 | 我室友芒果过敏",
        ),
    ),
    Rule(
        name="allergy_warning",
        kind="fact",
        importance=0.9,
        over="sentence",
        pattern=whole(r"(?:以后)?(?:别|不要)[点放加买给]+(?P<o>[^,我你他她的了]{1,8})[, ]+我(?:会)?过敏"),
        template="{who}对{o}过敏",
        ban=_NOT_ALLERGIC,
        examples=(("别点虾 我过敏", "小明（10001）对虾过敏"),),
        counterexamples=each("别点虾 他过敏 | 别点虾 | 别点这个 我过敏"),
    ),
    Rule(
        name="diet",
        kind="fact",
        importance=0.8,
        pattern=whole(
            rf"{ME}(?:现在|目前|一直|从小就?|从来|平时|也|是)?(?P<v>(?:从来?)?不(?:太|怎么)?(?:吃|喝|"
            rf"能吃|能喝|碰|沾)|只(?:吃|喝)|戒)(?P<o>{_FOOD})(?:制品)?(?:不耐受)?(?:的|了)?"
        ),
        template="{who}{v}{o}",
        ban=_NOT_FOOD,
        examples=(
            ("我不吃牛肉", "小明（10001）不吃牛肉"),
            ("我从小就不吃葱", "小明（10001）不吃葱"),
            ("我戒糖了", "小明（10001）戒糖"),
            ("我不喝酒的", "小明（10001）不喝酒"),
        ),
        counterexamples=each(
            "我不吃了 | 我不吃饭了 | 我不吃这套 | 我妈不吃牛肉 | 我不吃早饭了 | 我不吃什么 | "
            "我吃牛肉 | 我戒不掉 | 我不喝了 | 他不喝酒",
        ),
    ),
    Rule(
        name="diet_kind",
        kind="fact",
        importance=0.8,
        pattern=whole(
            rf"{ME}(?:现在|目前|一直|从小就?|平时|就|是)?(?:个)?(?P<o>吃(?:全|纯)?素|素食(?:主义)?者?|"
            r"乳糖不耐受?|(?:吃|只吃)清真|清真|麸质不耐受?|生酮|控糖|(?:吃)?低碳(?:饮食)?)(?:的人|的|"
            r"症)?"
        ),
        template="{who}{o}",
        examples=(("我吃素", "小明（10001）吃素"), ("我乳糖不耐受", "小明（10001）乳糖不耐受")),
        counterexamples=each("我吃素吗 | 我妈吃素 | 我吃素菜的时候"),
    ),
    Rule(
        name="health",
        kind="fact",
        importance=0.7,
        pattern=whole(
            rf"{ME}(?:一直|从小就?)?有(?:点|些|轻微的?|严重的?)?(?P<o>[\u4e00-\u9fff]{{0,8}}(?:炎|症|"
            r"头痛|血糖|血压|尿病|哮喘|近视|散光|痛风|结石|突出|盲|色弱|贫血|心脏病|胃病))"
            r"(?:好?几?[\d一二两三四五六七八九十多]{0,3}年)?"
        ),
        template="{who}有{o}",
        ban=LazyPattern(r"选择|懒|拖延|强迫|尴尬|社恐|恐惧|公主|中二|懒癌|[的你他她]"),
        examples=(("我有胃炎", "小明（10001）有胃炎"), ("我有点低血糖", "小明（10001）有低血糖")),
        counterexamples=each("我有病 | 小红有胃炎 | 我没有胃炎 | 我有拖延症 | 听说他有胃炎"),
    ),
    Rule(
        name="habit_of",
        kind="fact",
        pattern=whole(rf"{ME}(?:一直|从小)?(?:都)?(?:有|养成了?)(?P<o>.{{2,20}})的(?:好)?习惯"),
        template="{who}有{o}的习惯",
        ban=NOT_A_HABIT,
        examples=(("我一直有写日记的习惯", "小明（10001）有写日记的习惯"),),
        counterexamples=each("我没有写日记的习惯 | 我有什么习惯 | 他有写日记的习惯"),
    ),
    Rule(
        name="habit_usual",
        kind="fact",
        pattern=whole(rf"{ME}(?:一般|通常|平时|平常|基本上?)(?:都|就|会|是)?(?P<o>{HABITUAL}.{{1,20}})"),
        template="{who}一般{o}",
        ban=NOT_A_HABIT,
        examples=(("我一般十二点睡", "小明（10001）一般十二点睡"),),
        counterexamples=each("我一般不去 | 我一般吧 | 他一般十二点睡 | 我一般看心情"),
    ),
    Rule(
        name="habit_used",
        kind="fact",
        pattern=whole(rf"{ME}(?:都|就|一直)?习惯了?(?!性)(?P<o>[^性就,]{{2,20}})"),
        template="{who}习惯{o}",
        ban=LazyPattern(f"{NOT_A_HABIT.pattern}|^[了就的]"),
        examples=(("我习惯睡前看半小时书", "小明（10001）习惯睡前看半小时书"),),
        counterexamples=each("我习惯了 | 我习惯你了 | 我不习惯早起 | 我习惯不好"),
    ),
    Rule(
        name="habit",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:现在|平时|基本上?)?(?P<v>每天(?:早上|晚上|中午|早晨|睡前)?|天天|"
            rf"每周[一二三四五六日末天]?|每晚|每个?(?:周末|月))(?:都|会|要|都会|都要)?(?P<o>.{{2,20}})"
            rf"|(?P<v2>每天(?:早上|晚上|中午|早晨|睡前)?|每晚)(?:都|会|都会)?(?P<o2>{HABITUAL}.{{1,16}}))"
        ),
        template="{who}{v}{o}",
        ban=NOT_A_HABIT,
        examples=(
            ("我每天早上跑步", "小明（10001）每天早上跑步"),
            ("我每天喝两杯黑咖啡", "小明（10001）每天喝两杯黑咖啡"),
            ("每天写日记", "小明（10001）每天写日记"),
            ("我天天骑车上班", "小明（10001）天天骑车上班"),
        ),
        counterexamples=each(
            "我每天都很累 | 我每天都在想你 | 每天都好困 | 他每天跑步 | 我天天加班 | 我以前每天跑步 | 小红 每天跑步",
            "大学那会儿我天天打桌球 现在哪有时间 | 等我有钱了 我天天去巴黎",
        ),
    ),
    Rule(
        name="weekend",
        kind="fact",
        pattern=whole(r"(?:周末|每周末|周末的时候)我?(?:一般|通常|经常|基本上?)我?(?:都)?(?:会|是)?(?P<o>去?.{2,16})"),
        template="{who}周末一般{o}",
        ban=LazyPattern(f"{NOT_A_HABIT.pattern}|^不|睡觉"),
        examples=(("周末我一般都去骑行", "小明（10001）周末一般去骑行"),),
        counterexamples=each("周末一般不去 | 周末一般干嘛 | 周末他一般都去骑行"),
    ),
    Rule(
        name="skill",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:也|还|都|很)?(?P<v>会|擅长|可以|精通)(?:一点点?|"
            rf"点)?(?P<o>{INSTRUMENT_OR_ART}(?:[和、]{INSTRUMENT_OR_ART}){{0,3}})"
            rf"|(?:我)?(?P<v2>小时候学过|学过|在学|在自学)(?P<o2>{INSTRUMENT_OR_ART}))"
        ),
        template="{who}{v}{o}",
        examples=(
            ("我会弹吉他", "小明（10001）会弹吉他"),
            ("我会说日语", "小明（10001）会说日语"),
            ("小时候学过拉二胡", "小明（10001）小时候学过拉二胡"),
        ),
        counterexamples=each(
            "我会打电话给你 | 我会弹什么 | 我不会弹吉他 | 他会弹吉他 | 我会做到的 | 我要是会弹吉他就好了"
        ),
    ),
    Rule(
        name="skill_years",
        kind="fact",
        pattern=whole(rf"{ME}(?P<o>{INSTRUMENT_OR_ART}(?:有|都|已经)?[\d一二两三四五六七八九十]{{1,3}}多?年)"),
        template="{who}{o}",
        examples=(("我弹吉他十年了", "小明（10001）弹吉他十年"),),
        counterexamples=each("我弹吉他多少年了 | 他弹吉他十年了"),
    ),
    Rule(
        name="tool",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:现在|平时|平常|一直|日常|写东西|办公|写代码|工作|一直都?|主力)*(?:都|"
            rf"就)?(?:是)?用(?:的)?(?:是)?\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 .+#'_-]{{1,24}})"
        ),
        template="{who}用{o}",
        ban=_NOT_A_TOOL,
        examples=(
            ("我用 Vim", "小明（10001）用 Vim"),
            ("我一直用双拼输入法", "小明（10001）用双拼输入法"),
            ("我用的是 ThinkPad X1", "小明（10001）用 ThinkPad X1"),
        ),
        counterexamples=each("我用 Vim 写的 | 我用的是什么 | 他用 Vim | 我用 Chrome 打开报错 | 我用了3天"),
    ),
    Rule(
        name="device",
        kind="fact",
        pattern=whole(
            r"我的?(?P<v>手机|电脑|笔记本|相机|显卡|键盘|平板|耳机|主力机|车)(?:是|用的是|"
            rf"就是)\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 .+-]{{1,24}})"
        ),
        template="{who}的{v}是{o}",
        ban=_NOT_A_TOOL,
        examples=(("我手机是 Pixel 8", "小明（10001）的手机是 Pixel 8"),),
        counterexamples=each("我手机是坏的 | 我手机是什么型号 | 他手机是 Pixel 8"),
    ),
    Rule(
        name="got",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:刚|新|最近|已经)?(?:刚)?(?:买|入手|换成|换到|转到|换用|换)了?(?:台|部|个|一台|"
            rf"一部|一个)?\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 .+-]{{1,24}}?)了?"
        ),
        template="{who}换用了{o}",
        ban=_NOT_A_TOOL,
        examples=(
            ("我刚买了 iPhone 15", "小明（10001）换用了 iPhone 15"),
            ("我换成 Firefox 了", "小明（10001）换用了 Firefox"),
        ),
        counterexamples=each("我想买 iPhone 15 | 我买了3个 | 他刚买了 iPhone 15 | 我换了3天"),
    ),
)
