"""What a rule is, and the vocabulary of the rules: parts of patterns on folded text, and what no object may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..models import Kind
from .lazy_pattern import LazyPattern


def each(*lines: str) -> tuple[str, ...]:
    """The sentences between | in ``lines``."""
    return tuple(sentence.strip() for line in lines for sentence in line.split("|"))


@dataclass(frozen=True, slots=True)
class Rule:
    """``template`` is filled with ``who`` and the pattern's groups. ``ban`` is searched in ``o``: a hit is no match.

    ``over``: the pattern covers a clause, or a sentence with its commas. ``key`` may name groups, as in ``like:{o}``.
    ``bare``: the speaker is left out (超爱猫), which is believed only where nobody else can be meant. ``dates``:
    ``stamp`` replaces words for a single day by dates, ``due`` all of them, and wants one that has not passed.
    ``to_bot``: said to the bot; in a group only if it begins by naming it. ``common``: about the chat, nobody's own.
    """

    name: str
    kind: Kind
    pattern: LazyPattern
    template: str
    examples: tuple[tuple[str, str], ...]
    counterexamples: tuple[str, ...] = ()
    key: str | None = None
    ban: LazyPattern | None = None
    over: Literal["clause", "sentence"] = "clause"
    importance: float = 0.5
    bare: bool = False
    dates: Literal["", "stamp", "due"] = ""
    to_bot: bool = False
    common: bool = False


# How firmly something is said does not matter; 以前 or 可能 does, and so is not among these.
FIRMLY = (
    r"(?:(?:一直都?|真的|真心|特别|非常|很|超级|超|也|都|比较|挺|蛮|更|还是|就是|就|还|老|现在|最近|平时|平常|从小就?|"
    r"一向|向来|好|太|尤其|格外|相当|个人|本来就|贼|巨)\s?){0,3}"
)
ME = r"(?:我(?:这个?人)?[吧呢]?|本人|俺)"
"""The speaker of himself."""
STRESS = r"(?:超级?|最|特别|巨|贼|真的很?|非常)"
"""Without a 我, liking is believed only where it is stressed: 超爱猫, not 爱猫."""
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
        "台中 台南 新竹 基隆 保定 唐山 秦皇岛 廊坊 邯郸 大同 鞍山 吉林市 大庆 盐城 镇江 泰州 湖州 "
        "台州 芜湖 漳州 莆田 赣州 "
        "九江 淄博 临沂 济宁 威海 开封 南阳 襄阳 荆州 株洲 湘潭 衡阳 岳阳 常德 惠州 江门 湛江 柳州 "
        "北海 泸州 宜宾 乐山 南充 曲靖 宝鸡 延安 天水 "
        "荷兰 瑞士 瑞典 挪威 芬兰 丹麦 意大利 西班牙 葡萄牙 新西兰 爱尔兰 比利时 奥地利 波兰 印度 "
        "印尼 菲律宾 巴西 阿根廷 墨西哥 "
        "东京 大阪 京都 首尔 釜山 曼谷 吉隆坡 纽约 洛杉矶 旧金山 西雅图 波士顿 芝加哥 温哥华 多伦多 "
        "伦敦 巴黎 柏林 慕尼黑 悉尼 墨尔本 迪拜 莫斯科 "
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
NOT_A_NAME = LazyPattern(
    r"^[了得不来过着出你他她它人车吃喝去回下做干买帮带先别起滚等让给把醒停份点碗杯两]|^一个|外卖|滴滴|代驾|快递|服务员|"
    r"保安|家长|我|妈|爸|朋友|同学|老师|起床|一声|一下|帮忙|过来|怎么|"
    r"^(?:a|an|the|me|at|in|on|when|if|later|back|maybe|tomorrow|today|tonight|crazy|anytime|it|that)\b"
)
NOT_LIKED = LazyPattern(
    r"^(?:的.|了|过(?!山车|年|桥)|得|极|就|死|人|情$|豆|奇艺|莫能|咋|个[屁鬼毛锤]|一个[人女男]|某|有人|不起来|不不|"
    r"to\b|how\b|when\b|it\b|the\b|all the\b|both\b|one\b|not\b|seeing\b|being\b)|"
    r"^(?:的|上|[吃喝看听玩用去做写读买说])$|大家|群主|群友|各位|^.?不.$|^上(?![班学课网])|^(?:[左右上下前后里外]边|"
    r"[上下前后]面|第.个?|[新旧大小红蓝白黑]|中间)的?$"
)
NOT_FEARED = LazyPattern(r"太|不|没|会|要|了|是|迟到|错过|忘|来|被|影响|耽误|今天|明天|后天|下雨|打扰")
NOT_A_HOME = LazyPattern(
    r"朋友|酒店|宾馆|旅馆|民宿|医院|里面|外面|附近|隔壁|\d天|几天|年|月$|一起|楼上|楼下|心里|对面|"
    r"宿舍$|学校$|公司$|家里$"
)
NOT_DECIDED = LazyPattern(r"^(?:了|不了|不下来|一下|好了吗|个|的)$|^(?:了?不|权|性)|^的")
LIKED = r"(?:喜欢|爱吃|爱喝|爱看|爱听|爱玩|热爱|偏爱|钟爱|爱)"


def whole(pattern: str) -> LazyPattern:
    return LazyPattern(f"(?:{pattern})" + r"[了啊哦呀啦哟喔哈~!.\s]*")


WISH = (
    r"(?:回答|回复|答复|作答|说话|讲话|语气|口气|口吻|自称|说教|举例|例子|表情|emoji|颜文字|感叹号|标点|列表|列点|分点|"
    r"结论|代码|markdown|简短|简洁|精简|短一?点|简单点|长一?点|详细|啰嗦|废话|中文|英文|英语|粤语|日语|文言|繁体|简体|"
    r"普通话|别叫我|不要叫我|别喊我|客气|敬语|一次只|追问|卖萌|幽默|温柔|正经|严肃)"
)
"""How a bot can be asked to answer."""
NOT_ANSWERED = LazyPattern(
    r"^(?:问|再说|[我他她它]|大家)|系统|提示|指令|规则|限制|设定|扮演|越狱|猫娘|喵|主人|考试|课|会议|"
    r"开会|忽略|无视|密码|权限|管理员"
)
WORKER = (
    r"(?:[\u4e00-\u9fff a-z]{0,8}?(?:师|员|工|程序猿|码农|医生|护士|会计|出纳|司机|编辑|记者|翻译|"
    r"设计|运营|产品|产品经理|开发|"
    r"销售|客服|经理|助理|顾问|主管|总监|教练|导演|画手|主播|up主|博主|作家|作者|保安|农民|军人|警察|"
    r"店长|hr|人事|行政|前端|"
    r"后端|全栈|测试|运维|算法|策划|美工|剪辑|公务员|学生|研究生|博士生?|硕士生?|自由职业者?|程序媛|"
    r"dba|qa|主理人|家|手|商))"
)
NOT_A_JOB = LazyPattern(
    r"^(?:好|坏|老|新|小|大|一|啥|普通|合格|优秀|穷|什|怎|没|不|假|真|人家|大家|自家|回家|到家|成员|"
    r"会员|队员|管理员|群员|"
    r"机器人|客户|[^\u4e00-\u9fffa-z])|梦|好事|坏事|饭|菜|作业|题|出来|到|什么|的$|分手|高手|新手|"
    r"老手|选手|对手|单身|败家|赢家|人手|二手|智商"
)
KIN = (
    r"(?:爸爸?|妈妈?|父亲|母亲|老爸|老妈|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥?|姐姐?|弟弟?|妹妹?|"
    r"表[哥姐弟妹]|堂[哥姐弟妹]|儿子|"
    r"女儿|闺女|孩子|娃|宝宝|老婆|老公|媳妇|男朋友|女朋友|男友|女友|对象|侄[子女]|外甥女?|"
    r"双胞胎(?:弟弟|妹妹|姐姐|哥哥)|小孩)"
)
COUNT = r"(?:\d{1,3}|[一二两三四五六七八九十]{1,3})"
AGE = rf"(?:{COUNT}(?:周)?岁半?|{COUNT}个月)"
GRADE = (
    r"(?:(?:小学|初中|高中|大学|本科)?[一二三四五六]年级|初[一二三]|高[一二三]|大[一二三四五]|"
    r"研[一二三]|博[一二三四]|[小中大]班|"
    r"幼儿园(?:[小中大]班)?|小学|初中|高中|大学|本科|硕士|博士|研究生|学前班)"
)
ANIMAL = (
    r"(?:[\u4e00-\u9fff]{0,3}(?:猫|狗|犬|兔|鼠|鸟|龟|鱼|蛇|鸭|鸡|猪)|猫咪|猫猫|小猫|狗狗|小狗|狗子|"
    r"兔子|仓鼠|鹦鹉|乌龟|宠物|"
    r"蜥蜴|龙猫|柯基|金毛|泰迪|哈士奇|二哈|布偶|英短|美短|蓝猫|橘猫|柴犬|边牧|拉布拉多|萨摩耶|守宫|"
    r"刺猬|松鼠|主子|毛孩子|八哥)"
)
INSTRUMENT_OR_ART = (
    r"(?:拉(?:小提琴|大提琴|二胡|手风琴|琴)|弹(?:吉他|钢琴|古筝|琵琶|贝斯|尤克里里|古琴|琴)|吹(?:笛子|"
    r"箫|萨克斯|口琴|葫芦丝|唢呐|"
    r"小号|长笛|竖笛|埙)|打(?:架子鼓|非洲鼓|鼓|太极拳?|快板|算盘)|写(?:毛笔字|书法|硬笔)|书法|画(?:画|"
    r"水彩|油画|国画|漫画|素描|板绘)|"
    r"游泳|滑雪|滑冰|溜冰|轮滑|下(?:围棋|象棋|国际象棋)|开车|骑马|织毛衣|编程|做(?:饭|甜品|蛋糕|陶艺|"
    r"手工|木工)|修(?:电脑|手机|车|图)|"
    r"手语|跳(?:舞|街舞|芭蕾|国标|拉丁)|唱(?:戏|京剧|美声)|变魔术|剪(?:视频|片子|纸)|ps|潜水|冲浪|射箭|击剑|"
    r"(?:说|讲)?(?:英语|日语|法语|德语|韩语|西班牙语|俄语|粤语|闽南语|上海话|四川话|客家话|意大利语|葡萄牙语|阿拉伯语))"
)
HABITUAL = (
    r"(?:早起|早睡|晚睡|熬夜|(?:早上|晚上|中午|睡前|饭后|早晨|凌晨|下班后?|周末|起床后?)|"
    r"[\d一二两三四五六七八九十]{1,3}点|"
    r"[跑走喝吃写背读看练泡骑做打睡记画刷听学]|午睡|健身|打卡|冥想|遛狗|散步|锻炼|游泳|自己做饭|自己带饭|带饭|空腹)"
)
NOT_A_HABIT = LazyPattern(
    r"累|烦|想|困|忙|崩溃|死|哭|笑|开心|被|好[^好]|不知道|这样|都有|看到|看见|听到|听见|吃什么|"
    r"[我你他她它]|加班|无聊|痛苦|难受|摆烂|摸鱼|吃了|"
    r"一样|^上班$|打工|没|^吃饭$|才|^在|^是|^都|^很|心情|不好"
)
WISH_EN = (
    r"(?:answer|reply|respond|speak|talk|write|be brief|be concise|short(?:er)? answers|in (?:english|"
    r"chinese|french|german|"
    r"japanese|spanish)|no emojis?|emojis?)"
)
"""The same in English."""
