"""The rules for what a chat has in common: decisions, how things are done, warnings. They have no subject."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import NOT_DECIDED, Rule, each, whole

_NOT_A_NORM = LazyPattern(
    r"^(?:再|会|还|要是|有|的|就|慢慢|别烦|得空|见|谁|不会|你|我会|我要|我就|我再|我也|我想|怎么|"
    r"有机会|有空|注意|不用|没|可以|能|也|少来|"
    r"叫|喊|多|少)|[你他她]|回答|回复|表情|说话|喵|主人|后悔|再说|管理员|规则|提示|夸|每句话"
)
_NOT_A_WARNING = LazyPattern(
    r"^(?:别?走$|到|力|身体|安全$|休息|保暖|点$|我|一点$|别感冒|着凉|看|眼|翼翼|事项|的是|看路)|"
    r"[你您他她]|记住我|[吗呢吧]$|熬夜$|生气|难过|客气|走啊|忘|再|"
    r"笑|哭|^走|担心|误会|打我|骂我|这样|放弃|着急|喵|规则|提示"
)

SHARED_RULES: tuple[Rule, ...] = (
    Rule(
        name="decision",
        kind="decision",
        importance=0.7,
        over="sentence",
        pattern=whole(
            r"(?:那|所以|最后|最终|我们讨论完了[, ]?){0,2}(?:我们|咱们?|大家)(?:已经|一致|刚刚?|最后|"
            r"最终|都|今天|昨天|就|群里){0,2}"
            r"(?:决定|定|商量好|说好|约好|敲定|讨论好)(?:好?了|下来了?)?[,: ]{0,3}(?P<o>.+)"
        ),
        template="决定：{o}",
        dates="stamp",
        ban=NOT_DECIDED,
        examples=(
            ("我们决定周会改到周四", "决定：周会改到周四"),
            ("我们定了，下个版本用 Rust 重写，文档先行。", "决定：下个版本用 Rust 重写，文档先行"),
            ("咱們決定用 pnpm", "决定：用 pnpm"),
            ("那我们就定了，团建去漂流", "决定：团建去漂流"),
            ("大家商量好了 毕业聚餐吃火锅", "决定：毕业聚餐吃火锅"),
        ),
        counterexamples=each(
            "我们决定吃什么 | 我们还没决定用哪个 | 我们决定不了 | 如果我们决定改期，再说 | 我们决定权不大",
            "他们决定周会改到周四 | 我们决定就这样吧 | 我们定的 | 我们可能决定改期 | 我们说好的呢",
        ),
    ),
    Rule(
        name="decided",
        kind="decision",
        importance=0.7,
        over="sentence",
        pattern=whole(
            r"(?:(?:那)?(?:定了){1,2}(?:啊|哈)?[,: ]|(?:那就)?定下来了?[,: ]{0,3}|"
            r"投票结果(?:出来了)?[,: ]{1,3}(?:是)?|(?:最后|最终|一致|经讨论)(?:我们|"
            r"大家)?决定(?:了)?[,: ]{0,3}|"
            r"说好了(?:啊|哈)?[,: ]{1,3}|(?:群里|会上)(?:一致)?(?:决定|定了)[,: ]{0,3})(?P<o>.+)"
        ),
        template="决定：{o}",
        dates="stamp",
        ban=LazyPattern(rf"{NOT_DECIDED.pattern}|我|^(?:就)?(?:这样|这么)"),
        examples=(
            ("投票结果出来了，班服选墨绿色", "决定：班服选墨绿色"),
            ("定了定了 后端换成 gRPC", "决定：后端换成 gRPC"),
            ("定下来，周会改到周四", "决定：周会改到周四"),
            ("最后决定爬山改成农家乐", "决定：爬山改成农家乐"),
        ),
        counterexamples=each("定了吗 | 最后决定什么 | 说好了，我明天去 | 他们最后决定爬山 | 投票结果呢 | 说好了就这样"),
    ),
    Rule(
        name="changed_decision",
        kind="decision",
        importance=0.7,
        over="sentence",
        pattern=whole(
            r"(?:那|还是)?(?:我们|咱们|大家)(?:还是|就|现在|决定)?(?P<o>(?:改成|改为|改用|换成|"
            r"改到)(?!什么)[^,]{2,40})"
        ),
        template="决定：{o}",
        dates="stamp",
        ban=LazyPattern(r"[你您他她它哪]|吧$"),
        examples=(("上次说的作废，我们改成吃火锅", "决定：改成吃火锅"),),
        counterexamples=each("我们改成什么 | 他们改成吃火锅 | 我们改成这个吧 | 要不我们改成吃火锅吧"),
    ),
    Rule(
        name="from_now_on",
        kind="decision",
        importance=0.7,
        over="sentence",
        pattern=whole(r"(?P<o>(?:以后|今后)[^,你您他她别不]{0,8}都(?:用|按|在|由|走|改|放|发|写|开|统一|不用|不再).+)"),
        template="决定：{o}",
        examples=(
            ("以后都用 pnpm", "决定：以后都用 pnpm"),
            ("以后我们周会都在周四开", "决定：以后我们周会都在周四开"),
        ),
        counterexamples=each("以后都用什么 | 以后都别烦我 | 以后都用得着你 | 以后都在想你"),
    ),
    Rule(
        name="norm",
        kind="decision",
        importance=0.7,
        pattern=whole(
            r"(?:大家|我们|咱们?)(?:以后|今后)(?P<o>[^我你您他她]{3,40})"
            r"|(?:以后|今后)(?:大家|我们|咱们?)(?P<o2>[^我你您他她]{3,40})"
            r"|(?:以后|今后)(?P<o3>[^我你您他她,]{2,16}?(?:一律|统一|都(?:得|要|请|走|用|放|在|由|按|"
            r"不)|必须|轮流).{2,30})"
        ),
        template="决定：以后{o}",
        ban=_NOT_A_NORM,
        examples=(
            ("以后咱们代码都走 PR 合并", "决定：以后代码都走 PR 合并"),
            ("大家以后截图都要打码", "决定：以后截图都要打码"),
            ("以后迟到的都请奶茶", "决定：以后迟到的都请奶茶"),
        ),
        counterexamples=each("以后再说 | 以后我们会后悔的 | 以后我天天跑步 | 以后大家说话都带喵 | 我们以后怎么办"),
    ),
    Rule(
        name="procedure",
        kind="procedure",
        importance=0.6,
        over="sentence",
        pattern=whole(
            r"(?:(?:大家看好|再说一遍|我?再发一遍)(?:啊)?[,: ])?"
            r"(?P<t>(?:[^,你我他她]{0,10}?(?:的)?(?:流程|步骤|做法|操作|顺序|正确姿势|正确做法|规矩|规定)))"
            r"(?:大概|一般)?(?:如下|是这样的?|是|就是|很简单)?(?:[:, ]{1,3}|(?<=是))(?P<o>.{4,})"
        ),
        template="{t}：{o}",
        ban=LazyPattern(r"什么|怎么|^(?:的|谁|对|错|有)|[你您他她]|喵"),
        examples=(
            ("发版流程是先跑测试，再打 tag", "发版流程：先跑测试，再打 tag"),
            ("规矩：新人进群先改备注", "规矩：新人进群先改备注"),
            ("步骤：先卸旧的，重启，再装新的", "步骤：先卸旧的，重启，再装新的"),
        ),
        counterexamples=each("流程是什么 | 流程走完了 | 这个流程是谁定的 | 我的流程是先吃饭再睡觉 | 步骤太多了"),
    ),
    Rule(
        name="first_then",
        kind="procedure",
        importance=0.6,
        over="sentence",
        pattern=whole(
            r"(?P<o>(?!我|你|他|她|要不|不如|今|明|昨|后天|等|下午|晚上|"
            r"周末)(?:以后(?=[^先]))?[^\W我你他她]{0,8}?(?:要|得|必须|应该|需要)?先[^,我你他她]{2,16}"
            r"(?:[, ][^,我你他她]{2,16}){0,3}?[, ]?(?:再|然后|最后)(?!说|见|看|聊|想|来|也|次)[^我你他她]{2,30})"
        ),
        template="{o}",
        ban=LazyPattern(
            r"再说|了$|了[,再]|吧|睡|哈|一下再|看看|[吗呢]|玩|打游戏|^以后(?:回答|回复|说话)|结论|吃饭|"
            r"休息"
        ),
        examples=(
            ("先跑一遍测试，再打 tag，最后发公告", "先跑一遍测试，再打 tag，最后发公告"),
            ("以后报销先填表再找会计签字", "以后报销先填表再找会计签字"),
        ),
        counterexamples=each(
            "先吃饭再说 | 我先洗澡再玩 | 先看看再决定吧 | 你先填表再签字 | 先睡了，再见 | 等下先吃饭再打游戏"
        ),
    ),
    Rule(
        name="warning",
        kind="warning",
        importance=0.7,
        over="sentence",
        pattern=whole(
            r"(?:(?:大家|各位|所有人|兄弟们|友情|温馨)?(?:要|都|一定)?(?:注意|提醒|小心|当心)(?:了|啦|"
            r"一下|下)?(?:各位|大家)?(?:啊|哈)?[,: ]{0,3}"
            r"|(?:大家|各位)?(?:切记|血的教训)[,: ]{1,3}|千万(?=别|不要|不能))(?P<o>(?:(?:千万)?(?:别|"
            r"不要|不能|勿)|.{0,12}(?:有毒|有坑|会|不能|不要|别|骗|危险|塌|漏|坏)).{2,60})"
        ),
        template="注意：{o}",
        ban=_NOT_A_WARNING,
        examples=(
            ("注意别在生产库直接改数据", "注意：别在生产库直接改数据"),
            ("千万别点群里那个抽奖链接", "注意：别点群里那个抽奖链接"),
            ("提醒一下各位 别买那家的代练，号会被封", "注意：别买那家的代练，号会被封"),
        ),
        counterexamples=each("注意身体 | 注意安全 | 我注意到了 | 千万别走啊 | 小心点 | 千万别告诉他 | 注意到没有"),
    ),
    Rule(
        name="warning_last",
        kind="warning",
        importance=0.7,
        over="sentence",
        pattern=whole(r"(?P<o>(?:千万)?(?:别|不要|不能|勿).{3,60}?)[, ](?:切记|血的教训)(?:切记)?"),
        template="注意：{o}",
        ban=_NOT_A_WARNING,
        examples=(("别用公司邮箱注册那个网站 切记", "注意：别用公司邮箱注册那个网站"),),
        counterexamples=each("别走 切记 | 你别这样 切记 | 切记"),
    ),
    Rule(
        name="summary",
        kind="summary",
        importance=0.6,
        over="sentence",
        pattern=whole(
            r"(?:来)?总结(?:一下|下)(?:今天|刚才|本次|这次)?(?:的)?(?:讨论|会议|开会)?(?:的|内容|"
            r"结果)?\s?:\s?(?P<o>.{6,})"
        ),
        template="讨论总结：{o}",
        ban=LazyPattern(r"^[我你他她]|哈"),
        examples=(("总结一下今天讨论的：登录改用短信，支付下期再做", "讨论总结：登录改用短信，支付下期再做"),),
        counterexamples=each("总结一下 | 总结一下：我是笨蛋 | 你总结一下今天讨论的"),
    ),
)
