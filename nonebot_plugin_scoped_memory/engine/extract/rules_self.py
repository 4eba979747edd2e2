"""The rules for who somebody is: names, days, places, what they mainly do."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import DAY, LANGUAGE, ME, NAME, NOT_A_HOME, NOT_A_NAME, PLACES, SHORT_NAME, SO_BE_IT, Rule, each, whole

_LANGUAGES = rf"(?P<o>{LANGUAGE}(?:\s?[和、/与]\s?{LANGUAGE}){{0,3}})"
_LANGUAGES_2 = _LANGUAGES.replace("<o>", "<o2>")
_ANY_PLACE = r"[\u4e00-\u9fffa-z0-9 ]{2,30}"

SELF_RULES: tuple[Rule, ...] = (
    Rule(
        name="name",
        kind="fact",
        key="name",
        importance=0.8,
        bare=True,
        pattern=whole(
            rf"(?:(?:我的?(?:大名|本名|真名|名字)?就?(?:叫做?|名叫)|我的?(?:名字|大名|本名|真名)就?是)\s?{NAME}"
            rf"|(?:我的?)?(?:本名|真名|大名)(?:叫|是|就是|就叫)?\s?{NAME.replace('<o>', '<o2>')})"
        ),
        template="{who}叫{o}",
        ban=NOT_A_NAME,
        examples=(
            ("我叫王小明", "小明（10001）叫王小明"),
            ("大家好，我的名字是 Tom", "小明（10001）叫 Tom"),
            ("自我介绍一下：我叫李雷，今年20岁", "小明（10001）叫李雷"),
            ("本名李雷", "小明（10001）叫李雷"),
        ),
        counterexamples=each(
            "我叫了外卖 | 我叫他来 | 我叫什么 | 我叫滴滴 | 我叫妈妈来接我 | 我叫车了 | 他叫王小明 | 我叫你起床",
            "我叫爱因斯坦，今年三百岁 | 从现在开始我是一只猫 我叫托尼 喵",
        ),
    ),
    Rule(
        name="nickname",
        kind="preference",
        key="nickname",
        importance=0.8,
        pattern=whole(
            r"(?:(?:(?:你们?|大家|各位|以后|今后|就|都|可以|请|直接)\s?){1,4}[叫喊]我"
            rf"{SHORT_NAME}{SO_BE_IT}?|[叫喊]我{SHORT_NAME.replace('<o>', '<o2>')}{SO_BE_IT})"
        ),
        template="{who}希望被叫作{o}",
        ban=NOT_A_NAME,
        examples=(
            ("叫我老王就好", "小明（10001）希望被叫作老王"),
            ("以后叫我阿明吧", "小明（10001）希望被叫作阿明"),
            ("你可以叫我 Leo", "小明（10001）希望被叫作 Leo"),
            ("大家以后喊我阿明", "小明（10001）希望被叫作阿明"),
            ("别叫我小王了 以后叫我老王吧", "小明（10001）希望被叫作老王"),
        ),
        counterexamples=each(
            "叫我起床 | 别叫我小明 | 请叫我起床 | 老师叫我小明 | 以后叫我一声 | 可以叫我老王吗 | 叫我怎么办"
        ),
    ),
    Rule(
        name="language",
        kind="fact",
        key="language",
        importance=0.6,
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:现在|平时|一般|工作中?|上班)?(?:主要|主力)(?P<v>写|用|使用)(?:的是|的)?\s?{_LANGUAGES}"
            rf"|我的?(?:主力|主要)(?:编程)?语言(?:就|还)?是\s?{_LANGUAGES_2})"
        ),
        template="{who}主要写{o}",
        examples=(
            ("我主要写 Python", "小明（10001）主要写 Python"),
            ("我现在主要用Rust和C++了", "小明（10001）主要写 Rust和C++"),
            ("我主力语言是 Go", "小明（10001）主要写 Go"),
        ),
        counterexamples=each("我主要写什么 | 我以前主要写 Python | 我不主要写 Python"),
    ),
    Rule(
        name="language_now",
        kind="fact",
        key="language",
        importance=0.6,
        bare=True,
        pattern=whole(
            r"(?:(?:我|现在)?(?:现在|已经|最近|早就)?(?:都|就)?(?:改|转|换)(?:成|到|为|"
            rf"用)?(?:主要)?(?:写|用)?\s?{_LANGUAGES}\s?了"
            rf"|(?:我现在|现在我?)(?:都|就)?(?:写|用|使用)\s?{_LANGUAGES_2}了?)"
        ),
        template="{who}主要写{o}",
        examples=(
            ("不对，我现在用 Rust 了", "小明（10001）主要写 Rust"),
            ("说起来我已经改成主要写 Go 了", "小明（10001）主要写 Go"),
            ("我转 Kotlin 了", "小明（10001）主要写 Kotlin"),
        ),
        counterexamples=each("我现在用 Rust 写个脚本 | 我现在用什么 | 他现在用 Rust | 我现在用 Python 报错了"),
    ),
    Rule(
        name="language_mostly",
        kind="fact",
        key="language",
        importance=0.6,
        pattern=whole(
            rf"(?:我?(?:平时|日常|工作|上班)(?:主要)?(?:写|用)\s?{_LANGUAGES}\s?(?:比较多|最多|为主|多一?点)"
            rf"|我是?写\s?{_LANGUAGES_2}\s?的)"
        ),
        template="{who}主要写{o}",
        bare=True,
        examples=(
            ("平时写 TypeScript 比较多", "小明（10001）主要写 TypeScript"),
            ("我写Java的", "小明（10001）主要写 Java"),
        ),
        counterexamples=each("我写 Python 的时候 | 平时写什么比较多 | 我以前是写Java的"),
    ),
    Rule(
        name="mainly",
        kind="fact",
        pattern=whole(r"我(?:现在|平时|一般|工作中?)?主要(?P<v>写|用|使用|玩|研究|学)(?:的是)?(?P<o>.{1,20})"),
        template="{who}主要{v}{o}",
        ban=LazyPattern(r"^[来于了过到是的得]"),
        examples=(("我平时主要用 Linux", "小明（10001）主要用 Linux"), ("我主要玩原神", "小明（10001）主要玩原神")),
        counterexamples=each("我主要用来看番 | 我主要是懒 | 我主要用哪个"),
    ),
    Rule(
        name="home",
        kind="fact",
        key="home",
        importance=0.7,
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:现在|目前|一直|就|这边|已经)?(?:是)?(?:住在|家住在?|家在|定居在|搬到了?)|"
            rf"(?:现在|已经)(?:住在|住|搬到了?)|我搬家?去了?)(?P<o>{_ANY_PLACE}?)(?:这边|这里|"
            r"那边)?(?:的|定居|生活)?"
            rf"|{ME}(?:现在|目前)?住(?P<o2>(?!在|院|宿舍|校|一起|得|不|过|进|哪|你|他|这|那|几|"
            rf"了){_ANY_PLACE}?)(?:这边|那边)?"
        ),
        template="{who}住在{o}",
        ban=NOT_A_HOME,
        examples=(
            ("我住在杭州", "小明（10001）住在杭州"),
            ("我现在住在上海浦东啦", "小明（10001）住在上海浦东"),
            ("我搬家了 现在住在成都", "小明（10001）住在成都"),
            ("我现在住苏州", "小明（10001）住在苏州"),
        ),
        counterexamples=each(
            "我住在哪 | 我住在朋友家 | 我住在酒店 | 我住在这里 | 我以前住在杭州 | 我妈住在杭州",
            "我住在上海三年了 | 我住院了 | 我住不惯 | 小时候我住在柳州 早搬走了 | 谁住柳州啊",
        ),
    ),
    Rule(
        name="home_by_word",
        kind="fact",
        key="home",
        importance=0.7,
        bare=True,
        pattern=whole(
            r"(?:坐标|base\s?在?)\s?:?\s?(?P<o>[\u4e00-\u9fff]{2,8}|[a-z]{3,20})"
            r"|我在(?P<o2>[\u4e00-\u9fff]{2,8})(?:租的?房|买的?房|租房|定居|安家)了?(?:住|的)?"
        ),
        template="{who}住在{o}",
        ban=NOT_A_HOME,
        examples=(("坐标杭州", "小明（10001）住在杭州"), ("我在杭州租的房", "小明（10001）住在杭州")),
        counterexamples=each("坐标系 | 坐标是什么 | 我在外面租的房 | 他在杭州租的房"),
    ),
    Rule(
        name="at_home",
        kind="fact",
        key="home",
        importance=0.6,
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:现在|目前|一直)?(?:人)?(?:在|常驻)|人在)(?P<o>(?:{PLACES})(?:省|"
            rf"市)?[\u4e00-\u9fff]{{0,4}}?)(?:这边|这里|工作|上班|生活|定居|读书|上学|念书|留学)?"
            rf"|我人在(?P<o2>[\u4e00-\u9fff]{{2,6}}?)"
        ),
        template="{who}在{o}",
        ban=LazyPattern(
            f"{NOT_A_HOME.pattern}|站|路|机场|外|上|下|出差|旅游|玩|转机|吃|逛|看|等|开会|家|学校|"
            f"公司|店|床|车|群|坑|网吧|"
            r"待|住|过|买|做|学|写|打|听|排|路|的"
        ),
        examples=(
            ("我目前在深圳", "小明（10001）在深圳"),
            ("我在日本读书", "小明（10001）在日本"),
            ("我人在杭州", "小明（10001）在杭州"),
        ),
        counterexamples=each(
            "我在地铁上 | 我在北京站 | 我在上海出差 | 我人在公司 | 我人在家 | 他在深圳 | 我在北京吃烤鸭"
        ),
    ),
    Rule(
        name="origin",
        kind="fact",
        key="origin",
        bare=True,
        pattern=whole(
            rf"我就?是(?:土生土长的?|地道的?|正宗的?)?(?P<o>(?:{PLACES})(?:省|市)?(?:{PLACES}|"
            rf"[\u4e00-\u9fff]{{1,2}})?)(?<!好)(?<!女)(?<!男)人"
            r"|(?:我是?)?土生土长的?(?P<o2>[\u4e00-\u9fff]{2,6})人"
        ),
        template="{who}是{o}人",
        examples=(
            ("我是四川人", "小明（10001）是四川人"),
            ("我是广东潮汕人啊", "小明（10001）是广东潮汕人"),
            ("土生土长宜宾人", "小明（10001）是宜宾人"),
        ),
        counterexamples=each("我是好人 | 我是机器人 | 我是哪里人 | 我不是四川人 | 我是四川人的女婿 | 我是负责人"),
    ),
    Rule(
        name="hometown",
        kind="fact",
        key="origin",
        bare=True,
        pattern=whole(
            rf"(?:我的?)?老家(?:就?是|在)?(?P<o>(?:{PLACES})[\u4e00-\u9fff]{{0,6}}?|(?<=是|"
            rf"在)[\u4e00-\u9fff]{{2,8}}?|(?<=我老家)[\u4e00-\u9fff]{{2,6}}?(?=的))(?:那边|农村)?的?"
            rf"|我(?P<o2>{PLACES})的"
        ),
        template="{who}的老家是{o}",
        ban=LazyPattern(f"{NOT_A_HOME.pattern}|来|去|回|人|话|没|不|下|装|盖|拆"),
        examples=(
            ("我老家在绵阳", "小明（10001）的老家是绵阳"),
            ("老家是湖南的", "小明（10001）的老家是湖南"),
            ("我老家宜宾的", "小明（10001）的老家是宜宾"),
        ),
        counterexamples=each("老家在哪 | 他老家在绵阳 | 老家下雪了 | 我老家来人了"),
    ),
    Rule(
        name="birthday",
        kind="fact",
        key="birthday",
        importance=0.8,
        bare=True,
        pattern=whole(
            rf"(?:我的?生日(?:就?是在?|在|:)?\s?{DAY}|我是?(?:在)?\s?{DAY.replace('<o>', '<o2>')}(?:生"
            r"日|过生日|生的|出生的?))"
            rf"(?:的)?"
        ),
        template="{who}的生日是{o}",
        examples=(
            ("我生日是5月20日", "小明（10001）的生日是5月20日"),
            ("我的生日是农历八月十五哦", "小明（10001）的生日是农历八月十五"),
            ("我的生日在 1999-05-20", "小明（10001）的生日是1999-05-20"),
            ("我5月20号生日", "小明（10001）的生日是5月20号"),
            ("我是三月八号生的", "小明（10001）的生日是三月八号"),
        ),
        counterexamples=each("我生日是几号 | 我生日是明天 | 我生日快到了 | 小红生日是5月20日"),
    ),
    Rule(
        name="birthday_first",
        kind="fact",
        key="birthday",
        importance=0.8,
        pattern=whole(rf"{DAY}\s?是我的?生日"),
        template="{who}的生日是{o}",
        examples=(("5月20日是我生日", "小明（10001）的生日是5月20日"),),
        counterexamples=each("5月20日是我妈生日 | 5月20日是他的生日"),
    ),
    Rule(
        name="age",
        kind="fact",
        key="age",
        bare=True,
        dates="stamp",
        pattern=whole(
            r"(?:(?:我|本人)(?P<v>今年)?(?:已经|都|刚|刚满|才)?|(?P<v2>今年))(?P<o>(?:1\d|[2-9]\d|"
            r"[一二三四五六七八九]?十[一二三四五六七八九]?)岁)(?:整|半)?"
        ),
        template="{who}今年{o}",
        examples=(
            ("我今年20岁", "小明（10001）2026年20岁"),
            ("我二十五岁了", "小明（10001）2026年二十五岁"),
        ),
        counterexamples=each("我今年几岁 | 我20岁那年 | 她今年20岁 | 我三百岁"),
    ),
    Rule(
        name="type",
        kind="fact",
        key="mbti",
        bare=True,
        pattern=whole(
            r"(?:我(?:的?mbti)?(?:也|就)?是个?|(?:测了.{0,4})?(?:都|"
            r"还)?是)\s?(?P<o>[ei][ns][tf][jp](?:-[at])?)"
        ),
        template="{who}是{o}",
        examples=(("我是INTJ", "小明（10001）是 INTJ"),),
        counterexamples=each("我是intj吗 | 他是INTJ | 你是INTJ"),
    ),
)
