"""The rules for favourites, fears, hobbies and what somebody has taken up."""

from __future__ import annotations

from .lazy_pattern import LazyPattern
from .rule_words import FIRMLY, HABITUAL, ME, NOT_A_HABIT, NOT_FEARED, NOT_LIKED, Rule, each, whole

_STILL = r"(?:就|还|一直|永远|那?必须|肯定|当然|果然|其实|应该|目前|绝对){0,4}"
_KIND = (
    r"(?P<t>(?!人|东西|那|这|事|一|办法|方法|选择|时候|结果|方式|状态|朋友|安排|情况|日子|环节|阶段|部分|地方$|"
    r"消息|操作|阵容|英雄|老师)[^是的,]{1,8}?)"
)
_SPARE_TIME = (
    r"(?:业余时间|空闲时间|闲(?:着|下来)(?:的?时候)?|没事(?:的?时候|干|儿)?|一?有空|得空|"
    r"下班后?(?:回家)?|放学后?|周末|休息(?:的?时候|日)|有时间|放假|平时|平常|节假日)"
)
_FOR_YEARS = r"(?:有|都|已经|也|快|差不多){0,4}(?:好[几多]|很多|[\d一二两三四五六七八九十]{1,3})多?(?:年|个月)"

_NOT_A_FAVOURITE = LazyPattern(
    f"{NOT_LIKED.pattern}|睡觉|^躺|一起|切好|^和|^发|自由活动|钱的|眼睛|^家$|^输|随便|红包|下班|五颜六色"
)

LEANING_RULES: tuple[Rule, ...] = (
    Rule(
        name="favourite",
        kind="preference",
        key="favourite:{t}",
        bare=True,
        pattern=whole(
            rf"(?:要?说到?)?(?:{ME}{FIRMLY}(?P<v>最{{0,3}}(?:喜欢|爱|常|钟爱|热爱))|我的?最爱|最{{1,3}}(?:喜欢|"
            rf"爱))(?:吃|喝|看|听|玩|去|用|追)?的{_KIND}"
            rf"(?:[, ]?那)?{_STILL}(?:是|莫过于|非)(?P<o>[^,]+?)(?:莫属)?"
        ),
        template="{who}最喜欢的{t}是{o}",
        ban=_NOT_A_FAVOURITE,
        examples=(
            ("我最喜欢的歌手是周杰伦", "小明（10001）最喜欢的歌手是周杰伦"),
            ("我喜欢的颜色是蓝色哦", "小明（10001）最喜欢的颜色是蓝色"),
        ),
        counterexamples=each(
            "我最喜欢的运动是睡觉 | 我最喜欢的环节是发红包 | 我最爱的人是我妈 | 最喜欢的是你 | 我喜欢的事情是什么",
            "我最喜欢的歌手是谁 | 我喜欢的人是你 | 我喜欢的 | 他最喜欢的歌手是周杰伦",
        ),
    ),
    Rule(
        name="favourite_first",
        kind="preference",
        key="favourite:{t}",
        pattern=whole(
            r"(?P<o>[^,是我你他她]{1,20}?)(?:才|就|还|也|一直|永远|真的)?是我(?:一直|永远)?(?:心中|"
            r"心目中)?最{1,3}(?:喜欢|爱|好)(?:吃|喝|看|听|玩|去)?的"
            rf"{_KIND}"
            rf"|我(?:心(?:中|目中|里)的?|觉得|认为|个人觉得)最(?:[好棒](?:看|听|吃|玩|喝)?|佳|强|神|"
            rf"爱)的?{_KIND.replace('<t>', '<t2>')}"
            rf"{_STILL}是(?P<o2>.{{1,20}})"
        ),
        template="{who}最喜欢的{t}是{o}",
        ban=LazyPattern(f"{_NOT_A_FAVOURITE.pattern}|免费|^(?:不|别|去|先|就|直接)"),
        examples=(
            ("三体是我最喜欢的小说", "小明（10001）最喜欢的小说是三体"),
            ("我心中最好的电影永远是霸王别姬", "小明（10001）最喜欢的电影是霸王别姬"),
        ),
        counterexamples=each(
            "我觉得最好的办法是睡觉",
            "以前三体是我最喜欢的小说 | 这是我最喜欢的书 | 你是我最喜欢的人 | 以前三体是我最喜欢的小说吗",
        ),
    ),
    Rule(
        name="favourite_of",
        kind="preference",
        key="favourite:{t}",
        pattern=whole(
            r"(?:要论|要说|论|说到|说起)?(?P<t>颜色|水果|歌手?|电影|动漫|动画|游戏|小说|书|作家|季节|饮料|"
            r"奶茶|菜|零食|甜品|运动|动物|乐队|导演|演员|综艺|剧|城市|花|球队|球星|语言|科目)"
            r"(?:的话|里面?|方面|当中|中)?(?:呢)?[, ]?我(?:只服|最{1,2}(?:喜欢|爱)|首推|独爱)(?P<o>[^,的]{1,16})"
            r"|我(?:看|听|吃|玩|喝|读|去|养)过的?最(?:好[看听吃玩喝]?|棒|多遍|喜欢)的(?P<t2>(?!人|东西|"
            r"一)[^是的,]{1,6})(?:就|还|绝对|肯定)?是(?P<o2>[^,]{1,16})"
        ),
        template="{who}最喜欢的{t}是{o}",
        ban=_NOT_A_FAVOURITE,
        examples=(
            ("颜色的话我最喜欢紫色", "小明（10001）最喜欢的颜色是紫色"),
            ("我看过最好看的电影是盗梦空间", "小明（10001）最喜欢的电影是盗梦空间"),
        ),
        counterexamples=each("颜色我最喜欢这个 | 歌手里你最喜欢李健 | 电影我最喜欢看了吗 | 我看过最好看的电影是什么"),
    ),
    Rule(
        name="idol",
        kind="preference",
        pattern=whole(rf"我的?(?P<t>本命|推|偶像|爱豆|主推|墙头|担当|男神|女神){_STILL}是(?P<o>[^,]{{1,16}})"),
        template="{who}的{t}是{o}",
        ban=LazyPattern(f"{NOT_LIKED.pattern}|老婆|老公|隔壁|自己|妈|爸"),
        examples=(("我的本命是初音", "小明（10001）的本命是初音"),),
        counterexamples=each("我的女神是你 | 他的偶像是梅西 | 我偶像是谁"),
    ),
    Rule(
        name="new_love",
        kind="preference",
        key="like:{o}",
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:最近|突然|又|也|开始|已经|现在|刚|居然){{0,4}}|(?:最近|现在)(?:我|又|也|"
            rf"突然){{0,4}})(?P<v>迷上|"
            rf"爱上|喜欢上(?!班|学|课|网|一版|台|边|面)|迷恋上|入坑|"
            r"沉迷于?)了?(?P<o>[^,]{1,20}?)(?:无法自拔|不能自拔)?"
        ),
        template="{who}最近{v}了{o}",
        ban=LazyPattern(f"{NOT_LIKED.pattern}|女|男|小哥|小姐姐|的人|隔壁|^[了的]|学习|工作|无法自拔|这里|赌"),
        examples=(
            ("最近迷上了观鸟", "小明（10001）最近迷上了观鸟"),
            ("我最近迷上手冲咖啡了", "小明（10001）最近迷上了手冲咖啡"),
        ),
        counterexamples=each(
            "我喜欢上班摸鱼 | 最近喜欢上了隔壁的小哥 | 最近迷上了什么 | 他最近迷上了观鸟 | 我爱上了你 |"
            " 最近爱上了一个人"
        ),
    ),
    Rule(
        name="taken_up",
        kind="fact",
        bare=True,
        pattern=whole(
            rf"(?:{ME}(?:最近|现在|正|这阵子|这段时间){{1,4}}|最近|这阵子)(?:一直|又|也|都|刚)?(?P<v>在学|在练|在追|"
            rf"在自学|在捣鼓|开始(?=健身|跑步|骑车|游泳|存钱|记账|写|画|弹|打|做)|开始学|开始练|刚学|正在学|"
            r"跟着学|报班学)(?P<o>[^,]{2,12})"
        ),
        template="{who}最近{v}{o}",
        ban=LazyPattern(
            rf"{NOT_LIKED.pattern}|习|[我你她]|时候|这|车$|做人|^着|着[^色装]|^会|公交|债|喷嚏|脸皮|怎么|说话|"
            rf"拒绝|^号|打工|喜欢|接受|放下"
        ),
        examples=(("我最近在学吉他", "小明（10001）最近在学吉他"), ("最近在练字帖", "小明（10001）最近在练字帖")),
        counterexamples=each(
            "最近在学做人 | 最近在追公交 | 最近开始打喷嚏 | 我最近在学习 | 最近在学什么 | 他最近在学吉他 | 最近在追你"
        ),
    ),
    Rule(
        name="hobby",
        kind="preference",
        bare=True,
        pattern=whole(
            rf"(?:(?:我的?|本人)?(?:业余|主要|最大的?|个人|兴趣){{0,4}}(?:爱好|兴趣)(?:爱好)?(?:就|主要|大概|"
            rf"也){{0,4}}(?:是|有|:)(?P<o>[^,]{{1,30}})"
            rf"|我{_SPARE_TIME}的?(?:时候)?(?:就|都|一般|经常|常常?|总|老|基本|最?喜欢|最?爱|多半){{1,4}}(?:在|会|去|"
            rf"是){{0,4}}(?P<o2>[^,]{{2,20}})"
            rf"|我(?:业余时间|没事(?:的?时候|干)|休息(?:的?时候|日)|闲(?:下来|着)(?:的?时候)?)(?:在|会|去|"
            rf"会去)(?P<o3>[^,]{{2,20}}))"
        ),
        template="{who}的爱好是{o}",
        ban=LazyPattern(
            f"{NOT_LIKED.pattern}|{NOT_A_HABIT.pattern}|不|没|睡觉|躺|发呆|^一些|^[这那]|补觉|潜水|回家|[女男]$|"
            f"前女友|前男友|次要|最好|刷|的$|看看|睡|看热闹|广泛|差不多|刷手机"
        ),
        examples=(
            ("我一有空就去游泳", "小明（10001）的爱好是游泳"),
            ("我的爱好是钓鱼", "小明（10001）的爱好是钓鱼"),
            ("我业余时间都在画水彩", "小明（10001）的爱好是画水彩"),
        ),
        counterexamples=each(
            "我有空去看看 | 我有空会回的 | 我周末基本在补觉 | 我周末都在加班 | 我平时就这样",
            "我的爱好是什么 | 我的爱好是你 | 他的爱好是钓鱼 | 我业余时间不多",
        ),
    ),
    Rule(
        name="hobby_bare",
        kind="preference",
        bare=True,
        pattern=whole(r"(?:我|本人)?(?:的)?(?:业余)?爱好(?P<o>(?!者|是|有|的|和|广|不|很|也|都|太)[^,]{2,10})"),
        template="{who}的爱好是{o}",
        ban=LazyPattern(f"{NOT_LIKED.pattern}|人们|和平|挺|一样|相同|呢|变|没|多|少|一致"),
        examples=(("爱好摄影", "小明（10001）的爱好是摄影"),),
        counterexamples=each("爱好广泛 | 我爱好不多 | 他爱好摄影 | 爱好一样"),
    ),
    Rule(
        name="hobby_often",
        kind="preference",
        pattern=whole(
            rf"{ME}(?:平时)?(?:也)?(?:经常|常常|时常|隔三差五就?|没事就|有事没事就)(?:会|去|"
            rf"要){{0,4}}(?P<o>{HABITUAL}[^,]{{1,10}}|熬夜|健身|骑车)"
        ),
        template="{who}经常{o}",
        ban=LazyPattern(
            f"{NOT_A_HABIT.pattern}|说|话|到|见|错|bug|醉|题|不[完懂过开动清住]|撑|过[站头]|走眼|着|噩梦|迷路|"
            f"掉|串|漏|偏|坏|空$"
        ),
        examples=(("我经常打羽毛球", "小明（10001）经常打羽毛球"),),
        counterexamples=each(
            "我经常写bug | 我经常睡过头 | 我经常吃撑 | 我经常忘 | 他经常打羽毛球 | 我经常看到他 | 我经常吃什么"
        ),
    ),
    Rule(
        name="hobby_years",
        kind="preference",
        bare=True,
        pattern=whole(
            rf"{ME}?(?P<o>(?:玩|学|练|打|弹|跑|画|写|拉|跳|养|做|入坑|吹|骑|滑|游|下|唱|织|钓|收集|研究)(?!了|"
            rf"过|的|得|完|不)[^,了的我你她]{{1,8}}?{_FOR_YEARS})"
            rf"|{ME}(?P<o2>(?:学|练|弹|打|跑|画|玩|跳|拉)[了过](?:好[几多]|"
            rf"[\d一二两三四五六七八九十]{{1,3}})多?(?:年|个月)的?[^,了的我你她]{{1,8}})"
        ),
        template="{who}{o}",
        ban=LazyPattern(r"没|不|工|白|牛马|被|班|饼|仗|龙套|棉花|骗|人$|光棍|酱油|作业|饭|梦|想|人|官司|欠"),
        examples=(
            ("我玩摄影好几年了", "小明（10001）玩摄影好几年"),
            ("我学了三年吉他", "小明（10001）学了三年吉他"),
        ),
        counterexamples=each(
            "我画了三年饼 | 做牛马三年了 | 我打工三年了 | 他玩摄影好几年了 | 我学了多少年吉他 | 我以前玩摄影好几年"
        ),
    ),
    Rule(
        name="fear",
        kind="preference",
        pattern=whole(
            rf"{ME}{FIRMLY}(?P<v>最{{0,2}}(?:害怕|怕|畏惧|恐惧|不敢(?:看|坐|吃|摸|碰|玩|"
            rf"养)))(?P<o>[^,]{{1,8}}?)(?:的)?"
        ),
        template="{who}{v}{o}",
        ban=LazyPattern(f"{NOT_LIKED.pattern}|{NOT_FEARED.pattern}"),
        examples=(
            ("我怕辣", "小明（10001）怕辣"),
            ("我特别怕打雷啊", "小明（10001）怕打雷"),
            ("我从小就怕蜘蛛", "小明（10001）怕蜘蛛"),
        ),
        counterexamples=each(
            "我怕冷场 | 我怕剧透 | 我怕涨价 | 我怕是要迟到了 | 我怕来不及 | 我怕你生气 | 我怕明天下雨 |"
            " 我不怕辣 | 我怕什么"
        ),
    ),
    Rule(
        name="fear_bare",
        kind="preference",
        bare=True,
        pattern=whole(
            r"(?:胆子?小[, ]?)?(?:最|特别|超级?|巨|贼|从小就?|胆子?小[, ]?|(?:我)?天不怕地不怕[, ]?就|"
            r"我?就)怕(?P<o>[^,]{1,8}?)(?:的)?"
            r"|我?有点?(?P<o2>[^我你他她有,]{1,6})恐惧症(?:患者)?"
        ),
        template="{who}怕{o}",
        ban=LazyPattern(f"{NOT_LIKED.pattern}|{NOT_FEARED.pattern}"),
        examples=(
            ("最怕打针", "小明（10001）怕打针"),
            ("我有蜘蛛恐惧症", "小明（10001）怕蜘蛛"),
        ),
        counterexamples=each("最怕空气突然安静 | 我有开学恐惧症 | 怕打针 | 最怕的是你 | 最怕来不及 | 她有蜘蛛恐惧症"),
    ),
    Rule(
        name="fear_last",
        kind="preference",
        pattern=whole(r"(?P<o>[^,我你他她]{1,6})我(?:是)?(?:真的?|最|超级?|特别|从小就?|还是|也){1,4}(?:害怕|怕)"),
        template="{who}怕{o}",
        ban=LazyPattern(
            f"{NOT_LIKED.pattern}|{NOT_FEARED.pattern}|期末|发火|难道|莫非|小时候|曾经|[说讲问唱:]|所以|其实|但|"
            f"现在|以前|说"
        ),
        examples=(("打针我是真的怕", "小明（10001）怕打针"),),
        counterexamples=each("所以我最怕 | 你说的我最怕 | 这个我真的怕 | 打针他真的怕"),
    ),
    Rule(
        name="weakness",
        kind="preference",
        bare=True,
        pattern=whole(
            rf"(?:{ME}{FIRMLY}(?:是个?|有)?|本人)(?P<o>恐高|恐针|晕[血针车船机](?!的)|怕生|路痴|路盲|脸盲|音痴|"
            rf"五音不全|颜控|声控|选择困难)"
            r"(?:症)?(?:患者|晚期|人|星人|一枚|的)?"
        ),
        template="{who}{o}",
        ban=LazyPattern("^选择困难$"),
        examples=(("我恐高", "小明（10001）恐高"), ("本人晕车", "小明（10001）晕车")),
        counterexamples=each("我恐高吗 | 他恐高 | 恐高 | 我不恐高"),
    ),
)
