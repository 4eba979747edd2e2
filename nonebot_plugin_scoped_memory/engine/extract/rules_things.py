"""The rules for what somebody uses and owns."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import ME, Rule, each, whole

_BRAND = (
    r"(?:小米|红米|华为|荣耀|苹果(?=[\dx手电1])|三星|一加|魅族|真我|联想|戴尔|惠普|华硕|雷蛇|罗技|"
    r"索尼|佳能|尼康|富士|大疆|任天堂|微软|拯救者|小新|比亚迪|特斯拉|卡罗拉|"
    r"大众|丰田|本田|宝马|奔驰|奥迪|五菱|理想|蔚来|小鹏|问界|雅马哈|卡西欧|安卓|鸿蒙|双拼|五笔|仓颉|"
    r"搜狗|讯飞|百度|飞书|钉钉|印象笔记|有道|石墨|语雀|机械革命|外星人)"
)
_GEAR = (
    r"(?:输入法|键盘|手机|电脑|浏览器|编辑器|笔记本|相机|耳机|平板|显卡|显示器|投影仪?|音箱|手表|手环|"
    r"鼠标|主机|掌机|阅读器|路由器|无人机|打印机|扫地机|"
    r"自行车|山地车|摩托|电动车|吉他|钢琴|镜头|电视|空调|冰箱|咖啡机|空气炸锅)"
)
_TOOL = rf"(?=[\u4e00-\u9fff]{{0,8}}?[a-z][a-z0-9]|[\u4e00-\u9fff]{{0,6}}?(?:{_GEAR}|{_BRAND})|[a-z])"
_NOT_A_TOOL = LazyPattern(
    r"了?一下|三年|当砧|老用户|退$|一起|回滚|offer|hr|ddl|邮件|密码|头像|方案|[a-z]组|bug|pr$|vip|会员|dlc|steam|游戏|"
    r"搜$|还是|大众脸|^到|消息|表要|来|了[^\u4e00-\u9fff]|着|过|什么|哪|报错|不|写|跑|看|可以|打开|下载|安装|的时候|第|\d+(?:块|元|"
    r"天|年|个|分钟|小时)|^\d+$|"
    r"的$|拍|画|弄|登|连|发|付|刷|听|编|传|注册|申请|调|坏|修|丢|没|卡死|同款|你|号$|链接|会员|点$|再|就|才|时|送|票|账"
)
_PURPOSE = (
    r"(?:写(?:代码|东西|笔记|文档|论文|作业|小说|日记|文章)|记(?:笔记|账|事)|办公|看(?:番|剧|视频|书|"
    r"小说)|剪(?:视频|片子)|画画|修图|上网|聊天|听歌|开发|编程|"
    r"打字|存(?:东西|文件)|拍照|打游戏|做(?:ppt|表格|笔记|设计)|翻译|刷题|背单词)"
)
_NOW = r"(?:现在|平时|平常|一直|日常|写东西|办公|写代码|工作|一直都?|主力|目前|一般|习惯|也|最?常){0,4}"

THING_RULES: tuple[Rule, ...] = (
    Rule(
        name="tool",
        kind="fact",
        pattern=whole(
            rf"{ME}{_NOW}{_PURPOSE}?(?:都|就|一直|主要){{0,4}}(?:是|在)?用(?:的|惯了)?(?:是)?(?:台|"
            rf"部)?\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 .+#'_-]{{1,24}}?){_PURPOSE}?"
        ),
        template="{who}用{o}",
        ban=_NOT_A_TOOL,
        examples=(
            ("我记笔记都用Notion", "小明（10001）用 Notion"),
            ("我用VSCode写代码", "小明（10001）用 VSCode"),
            ("我用 Vim", "小明（10001）用 Vim"),
            ("我一直用双拼输入法", "小明（10001）用双拼输入法"),
            ("我用的是 ThinkPad X1", "小明（10001）用 ThinkPad X1"),
        ),
        counterexamples=each(
            "我用Excel算了一下 | 我用git回滚了 | 我用iPad当砧板 | 我用手机打的 | 我用你的号",
            "我用 Vim 写的 | 我用的是什么 | 他用 Vim | 我用 Chrome 打开报错 | 我用了3天",
        ),
    ),
    Rule(
        name="tool_party",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:也|就)?是(?:个)?\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 ]{{1,12}}?)\s?(?:党|用户|信徒|神教|"
            rf"教徒|遗老)"
        ),
        template="{who}用{o}",
        ban=LazyPattern(rf"{_NOT_A_TOOL.pattern}|^s?vip|^qq|^免费|新"),
        examples=(("我是vim党", "小明（10001）用 vim"),),
        counterexamples=each("我是学生党 | 我是vip用户 | 他是vim党"),
    ),
    Rule(
        name="device",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:我的?|本人)(?P<v>手机|电脑|笔记本|相机|显卡|键盘|平板|耳机|本子|电脑系统|主力机|备用机|车|"
            rf"系统|浏览器|输入法|编辑器|显示器|鼠标|主机|手表)(?:现在|目前|一直|就){{0,4}}(?:是|用的是?|装的是?|"
            rf"换成了?|换了|开的是)"
            rf"(?:台|部|辆|个)?\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 .+-]{{1,24}})|我(?P<v2>显卡|手机|"
            rf"电脑)(?P<o2>[\da-z][\da-z ]{{2,14}})|我开的?(?:车)?是?(?P<o3>{_BRAND}[\u4e00-\u9fffa-z0-9 ]{{0,8"
            rf"}})"
        ),
        template="{who}的{v}是{o}",
        ban=_NOT_A_TOOL,
        examples=(
            ("我系统是Ubuntu", "小明（10001）的系统是 Ubuntu"),
            ("我手机是 Pixel 8", "小明（10001）的手机是 Pixel 8"),
        ),
        counterexamples=each("我电脑蓝屏了 | 我手机掉了", "我手机是坏的 | 我手机是什么型号 | 他手机是 Pixel 8"),
    ),
    Rule(
        name="got",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:{ME}|(?=(?:刚|新|终于)[买收入提到]))(?:前几天|昨天|刚刚?|新|最近|已经|终于|今天|双十一|"
            rf"也){{0,4}}(?:从[^,]{{2,10}})?(?:买|入手|换成|换到|转到|换用|换|入|提|收|到手|整)了?(?:台|部|个|辆|把|"
            rf"架|副|一台|一部|一个|一辆|一把)?(?:新的?|二手的?)?"
            rf"\s?(?P<o>{_TOOL}(?!\d+[块元斤个台件天年])[\u4e00-\u9fffa-z0-9 .+-]{{1,24}}?)了?"
        ),
        template="{who}换用了{o}",
        ban=LazyPattern(
            rf"{_NOT_A_TOOL.pattern}|^的|^\\d{{1,3}}(?!\\d)|内存|壳|膜|膜|线$|需|要|^(?:手机|电脑|键盘|耳机|"
            rf"平板|相机|显卡|电视|空调|冰箱)$|皮肤|电池|支架|都|很|也"
        ),
        examples=(
            ("我刚提了辆特斯拉", "小明（10001）换用了特斯拉"),
            ("我刚买了 iPhone 15", "小明（10001）换用了 iPhone 15"),
            ("我换成 Firefox 了", "小明（10001）换用了 Firefox"),
        ),
        counterexamples=each(
            "我收到offer了 | 我换了wifi密码 | 我提了bug | 我换成a方案了 | 我买了vip | 我买了3斤苹果 |"
            " 我买的3台都一样 | 我买了票 | 我换号了",
            "我想买 iPhone 15 | 我买了3个 | 他刚买了 iPhone 15 | 我换了3天",
        ),
    ),
    Rule(
        name="owned",
        kind="fact",
        pattern=whole(
            rf"{ME}(?:家|也|还|就|手上|现在|其实){{0,4}}有(?:一|两|三)?(?P<v>台|部|个|辆|把|架|副|"
            rf"块)\s?(?P<o>{_TOOL}[\u4e00-\u9fffa-z0-9 .+-]{{1,20}})"
        ),
        template="{who}有一{v}{o}",
        ban=LazyPattern(
            rf"{_NOT_A_TOOL.pattern}|bug|idea|想|要|问题|朋友|想法|error|ddl|offer|plan|群|需求|call|pr$|issue|^(?:a|"
            rf"pr|mr|id)\\b|好了|meeting"
        ),
        examples=(("我有一台PS5", "小明（10001）有一台 PS5"),),
        counterexamples=each("我有个app想推荐 | 我有个问题 | 我有个bug | 他有一台PS5 | 我有个手机就好了 | 我有个idea"),
    ),
)
