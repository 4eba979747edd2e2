"""The rules for what somebody does: work, and the languages they write."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import LANGUAGE, ME, NOT_A_JOB, WORKER, Rule, each, whole

_LANGUAGES = rf"(?P<o>{LANGUAGE}(?:\s?[和、/与]\s?{LANGUAGE}){{0,3}})"
_LANGUAGES_2 = _LANGUAGES.replace("<o>", "<o2>")
_LANGUAGES_3 = _LANGUAGES.replace("<o>", "<o3>")
_NOW = r"(?:现在|目前|就|也|已经|一直|以前一直|主要|刚|是|本人){0,4}"
_FIELD = (
    rf"(?:{WORKER}|[\u4e00-\u9fff]{{1,6}}(?:行业|研究|服务|教育|贸易|电商|外贸|媒体|金融|保险|地产|"
    rf"物流|餐饮|工程|技术|管理|维护|维修|培训|护理|装修|美容|直播|自媒体|审计|经纪|代理|中介|"
    r"科研|安全|硬件|嵌入式|芯片)|嵌入式|外贸|电商|金融|保险|审计|科研|财务|法务|自媒体|新媒体|短视频|"
    r"直播|物流|餐饮|装修|美容|游戏|人事|投行|咨询|ui|it|[a-z][a-z ]{3,20})"
)

WORK_RULES: tuple[Rule, ...] = (
    Rule(
        name="job",
        kind="fact",
        key="job",
        importance=0.6,
        bare=True,
        pattern=whole(
            rf"(?:{ME}{_NOW}(?:是|当|干|做)(?:的)?(?:是)?一?[个名位枚]?(?P<o>{WORKER})(?:一[枚名只]|来的|"
            rf"的)?(?:好?[几多]?[\d一二两三四五六七八九十]{{0,3}}年)?"
            rf"|(?:本人|在下){WORKER.replace('?:', '?P<o3>', 1)}一枚"
            rf"|(?:我|我们公司|本人)?(?:现在|目前)?(?:是|现在是)?(?:专门)?(?:做|搞|"
            rf"干)(?P<o2>(?<=[是现前门]做)[\u4e00-\u9fffa-z/ ]{{1,10}}|(?<=[是现前门][搞干])"
            rf"[\u4e00-\u9fffa-z/ ]{{1,10}}|{_FIELD})的)"
        ),
        template="{who}的工作是{o}",
        ban=NOT_A_JOB,
        examples=(
            ("我是干财务的", "小明（10001）的工作是财务"),
            ("我做后端开发的", "小明（10001）的工作是后端开发"),
            ("我是程序员", "小明（10001）的工作是程序员"),
            ("我是做前端的", "小明（10001）的工作是前端"),
            ("我是个护士", "小明（10001）的工作是护士"),
        ),
        counterexamples=each(
            "我是搞笑的 | 我做饭的 | 我做得到的 | 我是搞不懂的 | 我是第一个 | 我是老大",
            "我是做梦的 | 我是好人 | 我是群员 | 我是机器人 | 我不是程序员 | 他是程序员 | 我是大家的 |"
            " 我是新手 | 我是不是程序员",
        ),
    ),
    Rule(
        name="job_doing",
        kind="fact",
        key="job",
        importance=0.6,
        pattern=whole(
            rf"{ME}{_NOW}(?P<o>开(?:网约车|出租车?|滴滴|货车|公交|大?卡车|高铁|[\u4e00-\u9fff]{{1,4}}店|店|"
            rf"公司|工作室|淘宝店?|餐馆|网店|民宿)|教(?:语文|数学|英语|物理|化学|"
            r"生物|历史|地理|政治|体育|音乐|美术|书法|钢琴|吉他|舞蹈|小学|初中|高中|大学|编程|"
            r"[\u4e00-\u9fff]{1,3}课)|卖(?:保险|房|车|衣服|水果|货|基金|[\u4e00-\u9fff]{2,4})|送(?:外卖|快递)|"
            r"跑(?:外卖|滴滴|业务|销售|网约车|长途|货运|龙套))(?:的|为生)"
            rf"|{ME}{_NOW}(?P<o3>在[^,]{{1,8}}(?:教书|送外卖|送快递|打螺丝|带课))|"
            rf"{ME}{_NOW}(?P<o2>(?:开了?家[\u4e00-\u9fff]{{1,8}}店|"
            rf"自己开[\u4e00-\u9fff]{{0,4}}[店厂公]司?))(?:的)?"
        ),
        template="{who}的工作是{o}",
        ban=NOT_A_JOB,
        examples=(
            ("我开网约车的", "小明（10001）的工作是开网约车"),
            ("我是教英语的", "小明（10001）的工作是教英语"),
        ),
        counterexamples=each("我开玩笑的 | 我教你的 | 他开网约车的 | 我开车来的"),
    ),
    Rule(
        name="job_state",
        kind="fact",
        key="job",
        importance=0.6,
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:已经|刚刚?|现在|目前|最近|正|今天|是|在|处于|上个?月|去年|也){{0,4}}|(?:刚|已经)(?=(?:离职|"
            rf"辞职|退休)了))(?P<o>退休|失业|待业|离职|裸辞|辞职|创业|自由职业者?|"
            r"全职(?:妈妈|爸爸|太太)|体制内|无业|被裁|gap|脱产|在家带娃)(?:了|状态|中|的|在家){0,4}"
        ),
        template="{who}{o}",
        examples=(
            ("我刚离职了", "小明（10001）离职"),
            ("我是自由职业", "小明（10001）自由职业"),
        ),
        counterexamples=each("我想离职 | 他离职了 | 我离职的时候 | 我要辞职了"),
    ),
    Rule(
        name="job_by_word",
        kind="fact",
        key="job",
        importance=0.6,
        bare=True,
        pattern=whole(
            r"(?:(?:我(?:现在)?的?|本人)(?:工作|职业|本职(?:工作)?|主业)(?:就|还|"
            r"其实)?是(?:一[名个])?(?P<o>.{2,12})|(?:本职|主业)(?:就|还)?是?(?P<o3>[\u4e00-\u9fff]{2,8})|"
            r"(?:我的?)?职业(?!病|生涯|道德|规划|技能|选手|玩家|素养|装|套)\s?(?:是|"
            r":)?(?P<o2>[\u4e00-\u9fffa-z]{2,10}))"
        ),
        template="{who}的工作是{o}",
        ban=LazyPattern(f"{NOT_A_JOB.pattern}|摸鱼|复读|吃|睡"),
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
            rf"(?:{ME}{_NOW}在[^,]{{1,12}}?(?:里)?(?:当|做|担任|干|任|搞)(?:一[名个])?(?P<o>{_FIELD})(?:的)?"
            rf"|(?:我(?:毕业以?后|现在|目前|一直|刚){{1,4}}|现在|毕业以?后)(?:就|一直|在|改行|转行|去|来|开始|"
            rf"做了.{{1,3}}年){{0,4}}(?:做|当|干|搞|从事)(?P<o2>{_FIELD})(?:相关)?(?:工作|的)?"
            rf"|(?:我)?(?:已经|刚|去年|今年|最近)?(?:转行|改行|转岗|考上了?|当上了?|刚?升(?:为|了|"
            rf"成)?(?=.{{0,3}}(?:主管|经理|总监|组长|店长)))(?:去|来|到|了){{0,4}}(?:做|当|干|搞)?(?P<o3>{_FIELD}))"
        ),
        template="{who}的工作是{o}",
        ban=LazyPattern(rf"{NOT_A_JOB.pattern}|[着过去好不得完]|事$|活|^实验|梦|一$"),
        examples=(
            ("我转行做产品了", "小明（10001）的工作是产品"),
            ("我在一家小公司当会计", "小明（10001）的工作是会计"),
            ("我转行了 现在做产品经理", "小明（10001）的工作是产品经理"),
            ("我毕业以后一直做兽医", "小明（10001）的工作是兽医"),
        ),
        counterexamples=each(
            "我在学校做实验 | 我现在当牛做马 | 我在网上当喷子",
            "我在家做饭 | 现在做什么 | 我现在做作业 | 他在一家小公司当会计",
        ),
    ),
    Rule(
        name="workplace",
        kind="fact",
        key="workplace",
        pattern=whole(
            rf"{ME}(?:现在|目前|就|也|一直|刚){{0,4}}(?:(?P<v>在)(?P<o>[\u4e00-\u9fffa-z0-9 ]{{2,16}}?)(?:里)?(?:工作"
            rf"|上班|任职|就职|打工|实习|搬砖|当差)|实习在(?P<o2>[^,]{{2,12}})|(?:跳槽|入职)(?:去|到|了){{0,4}}"
            r"(?P<o3>[\u4e00-\u9fffa-z]{2,12}?)(?=[了啦]))"
        ),
        template="{who}在{o}上班",
        ban=LazyPattern(
            r"家$|这|那|哪|努力|认真|好好|辛苦|一起|加班|路上|外面|[上中下前]$|各种|任何|电脑|拼命|疯狂|偷偷|"
            r"周末|新公司|[年月天]|找|夜里|晚上|白天|半夜"
        ),
        examples=(
            ("我跳槽去字节了", "小明（10001）在字节上班"),
            ("我在腾讯上班", "小明（10001）在腾讯上班"),
            ("我在一家医院工作", "小明（10001）在一家医院上班"),
        ),
        counterexamples=each(
            "我在各种计算机上工作 | 我入职三年了 | 我在晚上工作",
            "我在家上班 | 我在哪上班 | 我在上班 | 他在腾讯上班 | 我在努力工作",
        ),
    ),
    Rule(
        name="language",
        kind="fact",
        key="language",
        importance=0.6,
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:现在|平时|一般|工作中?|上班|写[前后]端|写代码|目前){{0,4}}(?:主要|主力|最?常)(?P<v>写|用|"
            rf"使用|搞)(?:的是|的)?\s?{_LANGUAGES}|(?:我)?写了[^,]{{1,3}}年(?:的)?\s?{_LANGUAGES_3}"
            rf"|(?:我的?)?(?:现在)?(?:主力|主要|最熟的?|常用的?|工作|最常用的?)(?:编程)?(?:语言)?(?:就|还|用|已经)?"
            rf"(?:是|写|用|换成|改成|变成)(?:了|的)?\s?{_LANGUAGES_2}了?)"
        ),
        template="{who}主要写{o}",
        examples=(
            ("我主要写 Python", "小明（10001）主要写 Python"),
            ("我现在主要用Rust和C++了", "小明（10001）主要写 Rust和C++"),
            ("我主力语言是 Go", "小明（10001）主要写 Go"),
            ("主力语言换成 Rust 了", "小明（10001）主要写 Rust"),
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
            rf"(?:(?:我|现在)?(?:现在|已经|最近|早就)?(?:从\s?{LANGUAGE}\s?)?(?:都|就)?(?:改|转|换)(?:成|到|为|"
            rf"用|去)?(?:主要)?(?:写|用)?\s?{_LANGUAGES}\s?了"
            rf"|(?:我现在|现在我?)(?:基本上?|只|都|就|是){{0,4}}(?:写|用|使用|改写|改用)的?\s?{_LANGUAGES_2}(?:比较多|"
            rf"多一?点|为主)?了?)"
        ),
        template="{who}主要写{o}",
        examples=(
            ("不对，我现在用 Rust 了", "小明（10001）主要写 Rust"),
            ("说起来我已经改成主要写 Go 了", "小明（10001）主要写 Go"),
            ("我转 Kotlin 了", "小明（10001）主要写 Kotlin"),
            ("我现在基本只写 Elixir", "小明（10001）主要写 Elixir"),
        ),
        counterexamples=each("我现在用 Rust 写个脚本 | 我现在用什么 | 他现在用 Rust | 我现在用 Python 报错了"),
    ),
    Rule(
        name="language_mostly",
        kind="fact",
        key="language",
        importance=0.6,
        pattern=whole(
            rf"(?:{ME}?(?:平时|日常|工作|上班|一般)?(?:主要)?(?:写|用)\s?{_LANGUAGES}\s?(?:比较多|最多|为主|"
            rf"多一?[点些]|居多)"
            rf"|(?:{ME}是?(?:写|搞|用)\s?{_LANGUAGES_2}\s?(?:开发)?的|{ME}是\s?{_LANGUAGES_3}\s?(?:选手|党|"
            rf"程序员|开发|玩家|工程师)))"
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
)
