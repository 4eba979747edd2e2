"""The rules for who somebody is: names, birthday, age and the like."""

from __future__ import annotations

from .calendar_words import FEAST
from .lazy_pattern import LazyPattern
from .rule_words import DAY, ME, NAME, NOT_A_NAME, SHORT_NAME, SO_BE_IT, SURNAME, Rule, each, whole

_NAME_2 = NAME.replace("<o>", "<o2>")
_SHORT_2 = SHORT_NAME.replace("<o>", "<o2>")
_DAY_2 = DAY.replace("<o>", "<o2>")
_WHO_CALLS = (
    r"(?:(?:你们?|您|大家伙?儿?|大伙儿?|各位|群里|群友们?|以后|今后|现在|就|都|也|可以|请|直接|还是|"
    r"一般|平时|麻烦|要不|那|改名了?|喜欢别人|希望|欢迎|继续|统一)\s?)"
)
_CALLS = r"(?:管我叫|直呼我|(?:叫|喊|称呼|唤)我(?:的?(?:英文)?名字?|为|做|一声(?=[\u4e00-\u9fff]{1,3}(?:就|吧)))?)"
_YEARS = r"(?:[1-9]\d|[一二三四五六七八九]?十[一二三四五六七八九]?)"
NOT_CALLED = LazyPattern(
    rf"{NOT_A_NAME.pattern}|爸|爹|爷|祖宗|大人|陛下|主人|女王|皇|霸霸|老公|老婆|宝贝|亲爱|帅|美|最强|"
    rf"第一|富婆|富豪|盟主|大王|神|大佬$|天才|富婆|王者|王子|公主|学霸|雷锋|红领巾|锦鲤|打工人|大师|干饭|聪明|"
    rf"机灵|爹|^[就也来]|名字|透明|放弃|请客|冷静|下楼|"
    r"^[哥姐叔姨弟妹]$|全名|名字|外号|上线|打|玩|说|看|写|开|拿|加|睡|醒|快|慢|赶|带|拉|一[起块]"
)

SELF_RULES: tuple[Rule, ...] = (
    Rule(
        name="name",
        kind="fact",
        key="name",
        importance=0.8,
        bare=True,
        pattern=whole(
            rf"(?:(?:{ME}的?)(?:的?(?:大名|本名|真名|全名|真实姓名|名字|姓名|英文名|中文名|日文名|网名|笔名|id|"
            rf"昵称|身份证上))?(?:其实|就是?|确实|是){{0,4}}"
            rf"(?:叫做?|名叫)|我的?(?:名字|大名|本名|真名|全名|真实姓名|姓名|英文名|网名)(?:其实|就|"
            rf"确实){{0,4}}(?:是|:))\s?{NAME}"
            rf"|(?:我的?)?(?:本名|真名|大名|全名|姓名|真实姓名|英文名)(?:其实|就)?(?:叫|是|就是|就叫|:|"
            rf"(?={SURNAME}|\s?[a-z]))\s?{_NAME_2}"
        ),
        template="{who}叫{o}",
        ban=NOT_A_NAME,
        examples=(
            ("弱弱地说 我全名叫欧阳修文", "小明（10001）叫欧阳修文"),
            ("我叫王小明", "小明（10001）叫王小明"),
            ("大家好，我的名字是 Tom", "小明（10001）叫 Tom"),
            ("自我介绍一下：我叫李雷，今年20岁", "小明（10001）叫李雷"),
            ("本名李雷", "小明（10001）叫李雷"),
        ),
        counterexamples=each(
            "大名鼎鼎 | 真名实姓 | 全名太长 | 我叫美团 | 我叫张三 法外狂徒 | 我名字是乱码 | 我叫秦始皇 打钱 |"
            " 我叫红领巾 | 姓名不详 | 我的名字叫不出来",
            "我叫了外卖 | 我叫他来 | 我叫什么 | 我叫滴滴 | 我叫妈妈来接我 | 我叫车了 | 他叫王小明 | 我叫你起床",
            "我叫爱因斯坦，今年三百岁 | 从现在开始我是一只猫 我叫托尼 喵",
        ),
    ),
    Rule(
        name="surname",
        kind="fact",
        pattern=whole(rf"{ME}姓(?P<o>{SURNAME})(?:的)?"),
        template="{who}姓{o}",
        examples=(("我姓张", "小明（10001）姓张"),),
        counterexamples=each("我姓什么 | 他姓张 | 我姓名不告诉你 | 我不姓张"),
    ),
    Rule(
        name="nickname",
        kind="preference",
        key="nickname",
        importance=0.8,
        pattern=whole(rf"(?:{_WHO_CALLS}{{1,5}}{_CALLS}{SHORT_NAME}{SO_BE_IT}?|{_CALLS}{_SHORT_2}(?:{SO_BE_IT}|就))"),
        template="{who}希望被叫作{o}",
        ban=NOT_CALLED,
        examples=(
            ("叫我小雨好啦", "小明（10001）希望被叫作小雨"),
            ("大伙儿称呼我老六就成", "小明（10001）希望被叫作老六"),
            ("叫我老王就好", "小明（10001）希望被叫作老王"),
            ("以后叫我阿明吧", "小明（10001）希望被叫作阿明"),
            ("你可以叫我 Leo", "小明（10001）希望被叫作 Leo"),
            ("大家以后喊我阿明", "小明（10001）希望被叫作阿明"),
            ("别叫我小王了 以后叫我老王吧", "小明（10001）希望被叫作老王"),
        ),
        counterexamples=each(
            "请叫我锦鲤 | 请叫我打工人 | 叫我就行 | 叫我爸爸就行 | 以后叫我女王大人 | 周末叫我打球吧 | 明天叫我上线",
            "叫我起床 | 别叫我小明 | 请叫我起床 | 老师叫我小明 | 以后叫我一声 | 可以叫我老王吗 | 叫我怎么办",
        ),
    ),
    Rule(
        name="nickname_bare",
        kind="preference",
        key="nickname",
        importance=0.8,
        bare=True,
        pattern=whole(
            rf"叫(?P<o>[小阿老大][\u4e00-\u9fff]{{1,2}}?|[\u4e00-\u9fff]{{1,2}}?[哥姐总工叔]|[a-z]{{2,12}}){SO_BE_IT}"
            rf"|{ME}?(?:现在|已经)?改名(?:叫|成|为)(?P<o2>[\u4e00-\u9fff]{{1,6}}|[a-z]{{2,12}})|"
            rf"{ME}现在叫(?P<o3>[\u4e00-\u9fff]{{1,6}}?)(?=[了啦])"
        ),
        template="{who}希望被叫作{o}",
        ban=LazyPattern(
            f"{NOT_CALLED.pattern}|小时|小心|来$|去$|^阿姨$|^saas$|^功|天天|苦|废|嘴|算|大家|老师|老板|大哥|小姐|app|外"
        ),
        examples=(
            ("别叫我全名啦 叫小舟就好", "小明（10001）希望被叫作小舟"),
            ("我改名叫柚子了", "小明（10001）希望被叫作柚子"),
        ),
        counterexamples=each(
            "叫小王来就行 | 叫阿姨吧 | 改名成功 | 我改名叫废物算了 | 叫外卖就行 | 叫大家就好 | 我改名了 |"
            " 他改名叫柚子了 | 叫小时工就行"
        ),
    ),
    Rule(
        name="called",
        kind="preference",
        key="nickname",
        pattern=whole(
            r"(?:朋友们?|大家|熟人|别人|同学们?|同事们?|家里人?|身边人|室友们?|群里|认识我的人?)(?:一般|平时|"
            r"都|也){1,4}(?:管我叫|[叫喊]我)"
            r"(?P<o>[\u4e00-\u9fff]{1,6}|[a-z]{2,12})"
        ),
        template="大家都叫{who}{o}",
        ban=NOT_CALLED,
        examples=(("朋友们都叫我胖虎", "大家都叫小明（10001）胖虎"),),
        counterexamples=each("朋友都叫我去 | 大家都叫我别买 | 朋友们都叫他胖虎 | 大家都叫我什么"),
    ),
    Rule(
        name="other_name",
        kind="fact",
        pattern=whole(
            rf"(?:我的?|本人)(?P<t>小名|乳名|外号|绰号|花名|昵称|艺名|圈名|游戏名|游戏id)(?:就|其实|"
            rf"一直)?(?:叫|是|:)\s?{NAME}"
        ),
        template="{who}的{t}叫{o}",
        ban=NOT_A_NAME,
        examples=(("我小名叫毛毛", "小明（10001）的小名叫毛毛"),),
        counterexamples=each("我小名叫什么 | 他小名叫毛毛 | 我外号不告诉你"),
    ),
    Rule(
        name="birthday",
        kind="fact",
        key="birthday",
        importance=0.8,
        bare=True,
        pattern=whole(
            rf"(?:(?:我的?|本人)?(?:农历|阴历|阳历|公历|国历|新历|身份证上?)?(?:的)?生日(?:其实|刚好|正好|就|"
            rf"也|的话|日期){{0,4}}(?:就?是在?|在|为|:)?\s?{DAY}"
            rf"|{ME}(?:的)?(?:就|是|在|的){{0,4}}\s?{_DAY_2}(?:的?生日|过生日|生的?(?=$|[,了啊呀哦~!. ])|出生的?|"
            rf"生人|来到这个世界的?)|{ME}(?:是)?(?:出生|生)[于在]\s?"
            rf"{DAY.replace('<o>', '<o3>')}|{DAY.replace('<o>', '<o4>')}才是我的?生日)(?:的|那天)?"
        ),
        template="{who}的生日是{o}",
        examples=(
            ("我出生于1998年3月12日", "小明（10001）的生日是1998年3月12日"),
            ("我農曆生日是三月初三", "小明（10001）的生日是三月初三"),
            ("我生日是5月20日", "小明（10001）的生日是5月20日"),
            ("我的生日是农历八月十五哦", "小明（10001）的生日是农历八月十五"),
            ("我的生日在 1999-05-20", "小明（10001）的生日是1999-05-20"),
            ("我5月20号生日", "小明（10001）的生日是5月20号"),
            ("我是三月八号生的", "小明（10001）的生日是三月八号"),
            ("三月九号才是我生日", "小明（10001）的生日是三月九号"),
        ),
        counterexamples=each("我生日是几号 | 我生日是明天 | 我生日快到了 | 小红生日是5月20日"),
    ),
    Rule(
        name="birthday_feast",
        kind="fact",
        key="birthday",
        importance=0.8,
        pattern=whole(
            rf"我的?生日(?:刚好|正好|就|也|恰好){{0,4}}(?:是|在)(?P<o>{FEAST}|愚人节|植树节)(?:那天|当天|前一天|"
            rf"后一天|第二天)?"
        ),
        template="{who}的生日是{o}",
        examples=(("我生日刚好是国庆节", "小明（10001）的生日是国庆节"),),
        counterexamples=each("我生日是明天 | 他生日是国庆 | 我生日在国庆吗"),
    ),
    Rule(
        name="birthday_first",
        kind="fact",
        key="birthday",
        importance=0.8,
        pattern=whole(rf"(?:每年的?)?{DAY}(?:那天|就)?\s?(?:是)?(?:我的?|本人)(?:的)?生日"),
        template="{who}的生日是{o}",
        examples=(
            ("3.12我生日", "小明（10001）的生日是3.12"),
            ("5月20日是我生日", "小明（10001）的生日是5月20日"),
        ),
        counterexamples=each("5月20日是我妈生日 | 5月20日是他的生日"),
    ),
    Rule(
        name="age",
        kind="fact",
        key="age",
        bare=True,
        dates="stamp",
        pattern=whole(
            rf"(?:{ME}(?P<v>今年|现在)?(?:已经|都|就|也|是){{0,4}}|(?P<v2>今年))(?:年龄)?(?P<o>(?:快|刚满|刚过|刚|才|"
            rf"马上|周岁|虚岁|满|要){{0,4}}{_YEARS}(?:周)?岁)(?:整|半|了都|的人)?"
            rf"|(?:我|本人)(?:(?P<v3>今年)(?:已经|都|就|才|刚){{0,4}}(?=[^了]{{1,4}}$|.{{1,4}}[了啦呀啊,])|(?:已经|"
            rf"都)?(?=(?:刚满|快|才)?{_YEARS}了)|刚?满?(?=本人))"
            rf"(?P<o2>(?:快|刚满|才)?{_YEARS})"
        ),
        template="{who}今年{o}",
        examples=(
            ("我22了", "小明（10001）2026年22"),
            ("我今年刚满18岁", "小明（10001）2026年刚满18岁"),
            ("我今年20岁", "小明（10001）2026年20岁"),
            ("我二十五岁了", "小明（10001）2026年二十五岁"),
        ),
        counterexamples=each(
            "我22点了 | 我永远18岁 | 我今年20万 | 我30了块", "我今年几岁 | 我20岁那年 | 她今年20岁 | 我三百岁"
        ),
    ),
    Rule(
        name="born",
        kind="fact",
        bare=True,
        pattern=whole(rf"{ME}(?:也|就)?是?(?:个)?(?P<o>(?:\d{{2}}|(?:19|20)\d{{2}})(?:后|年的|年生的?|年出生的?))"),
        template="{who}是{o}",
        examples=(("我是00后", "小明（10001）是00后"),),
        counterexamples=each("我是00后吗 | 他是00后 | 我98年去的"),
    ),
    Rule(
        name="zodiac",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:也|就)?是?(?:个|典型的?)?(?P<o>(?:白羊|牡羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|"
            rf"水瓶|双鱼)座)(?:的|男|女|人|一枚)?|我(?:也|就)?(?:是)?"
            rf"(?P<o2>属[鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?"
        ),
        template="{who}是{o}",
        examples=(
            ("我是天蝎座", "小明（10001）是天蝎座"),
            ("我属狗的", "小明（10001）是属狗"),
        ),
        counterexamples=each("我属于 | 你是天蝎座 | 天蝎座 | 我属实服了"),
    ),
    Rule(
        name="type",
        kind="fact",
        key="mbti",
        bare=True,
        pattern=whole(
            r"(?:我(?:的?mbti|的?人格)?(?:测(?:出来|的)?|做)?(?:也|就|都|是|个|的|:){0,4}|(?:测了.{0,4})?(?:都|"
            r"还)?是)\s?(?P<o>[ei][ns][tf][jp](?:-[at])?)(?:人格|型)?(?:的|来的)?"
            r"|(?:本|我(?:也|就)?是个?|我(?=[ei]人))(?P<o2>[ei]人)"
        ),
        template="{who}是{o}",
        examples=(
            ("我infp", "小明（10001）是 infp"),
            ("我是i人", "小明（10001）是 i人"),
            ("我是INTJ", "小明（10001）是 INTJ"),
        ),
        counterexamples=each("我是intj吗 | 他是INTJ | 你是INTJ"),
    ),
)
