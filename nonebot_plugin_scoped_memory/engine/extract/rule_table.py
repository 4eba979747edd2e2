"""The rules, as one table. Each stands with sentences that it must match, and what comes out, and with sentences that
no rule may match (separated by |). The table is the test; the speaker of each example is 小明, ``qq:user:10001``.

Patterns match a whole clause (or sentence) of folded text: Simplified characters, half width, lower case. ``o`` is what
the speaker likes, is called and so on, and is checked once more by ``rules``; other groups go into the template as they
were written.
"""

from __future__ import annotations

import re

from .rule_table_en import ENGLISH_RULES
from .rule_words import (
    DAY,
    FIRMLY,
    LANGUAGE,
    LIKED,
    NAME,
    NOT_A_HOME,
    NOT_A_NAME,
    NOT_DECIDED,
    NOT_FEARED,
    NOT_LIKED,
    PET_OR_THING,
    PLACES,
    SHORT_NAME,
    SO_BE_IT,
    Rule,
    each,
    whole,
)

RULES: tuple[Rule, ...] = (
    Rule(
        name="favourite",
        kind="preference",
        pattern=whole(rf"我{FIRMLY}(?P<v>最?(?:喜欢|爱))的(?P<t>[^是的]{{1,10}})就?是(?P<o>.+)"),
        template="{who}{v}的{t}是{o}",
        ban=NOT_LIKED,
        examples=(
            ("我最喜欢的歌手是周杰伦", "小明（10001）最喜欢的歌手是周杰伦"),
            ("我喜欢的颜色是蓝色哦", "小明（10001）喜欢的颜色是蓝色"),
        ),
        counterexamples=each("我最喜欢的歌手是谁 | 我喜欢的人是你 | 我喜欢的"),
    ),
    Rule(
        name="dislike",
        kind="preference",
        pattern=whole(
            rf"我{FIRMLY}(?P<v>最?(?:讨厌|厌恶|反感)|最?不(?:太|怎么|大|是很|是特别)?(?:喜欢|爱吃|爱喝|爱看|爱听|爱))(?P<o>.+)"
        ),
        template="{who}{v}{o}",
        ban=NOT_LIKED,
        examples=(
            ("我不喜欢香菜", "小明（10001）不喜欢香菜"),
            ("我真的很讨厌下雨天！", "小明（10001）讨厌下雨天"),
            ("其实我不太喜欢吃辣的~", "小明（10001）不太喜欢吃辣的"),
            ("我討厭蟑螂", "小明（10001）討厭蟑螂"),
            ("猫可以，我最讨厌早起啊", "小明（10001）最讨厌早起"),
        ),
        counterexamples=each(
            "我不喜欢你 | 我不是不喜欢香菜 | 我不讨厌香菜 | 我以前不喜欢香菜 | 我不爱了 | 我讨厌死了",
            "你说我不喜欢什么",
        ),
    ),
    Rule(
        name="like",
        kind="preference",
        pattern=whole(rf"我{FIRMLY}(?P<v>最?{LIKED})(?P<o>.+)"),
        template="{who}{v}{o}",
        ban=NOT_LIKED,
        examples=(
            ("我喜欢手冲咖啡", "小明（10001）喜欢手冲咖啡"),
            ("我也特别喜欢猫啦～", "小明（10001）喜欢猫"),
            ("我最喜欢 C++ 了！", "小明（10001）最喜欢 C++"),
            ("我喜歡手沖咖啡。", "小明（10001）喜歡手沖咖啡"),
            ("我爱看《三体》", "小明（10001）爱看《三体》"),
            ("对了，我爱吃螺蛳粉，你呢？", "小明（10001）爱吃螺蛳粉"),
            ("我喜欢 手冲咖啡", "小明（10001）喜欢手冲咖啡"),
            ("我最喜欢过山车！", "小明（10001）最喜欢过山车"),
            ("我喜欢ＲＴＸ４０９０", "小明（10001）喜欢ＲＴＸ４０９０"),
            ("我喜欢猫 我讨厌狗", "小明（10001）喜欢猫"),
        ),
        counterexamples=each(
            "我喜欢什么 | 我喜欢猫吗？ | 我喜欢猫？ | 我喜欢猫呢 | 我喜欢这个 | 我喜欢你 | 我喜欢他写的书",
            "我喜欢 | 我喜欢！ | 我喜欢的 | 我没说我喜欢猫 | 我又不喜欢不喜欢猫的人 | 他说“我喜欢猫”",
            "他说我喜欢猫 | 他说，我喜欢猫 | 小红：我喜欢猫 | “我喜欢猫” | 如果我喜欢猫，我就养一只",
            "要是中了奖，我喜欢跑车 | 等我有钱了，我喜欢买房 | 我想我会喜欢猫的 | 我可能喜欢猫 | 我喜欢猫哈哈哈",
            "我喜欢加班[doge] | 我喜欢加班才怪 | 我可太喜欢加班了 | 我喜欢个屁 | 我以前喜欢猫 | 我曾经喜欢猫",
            "我小时候喜欢猫 | 我喜欢过猫 | 我妈喜欢猫 | 小红喜欢猫 | 我朋友说我喜欢猫 | 我们喜欢猫",
            "歌词：我喜欢你的眼睛 | 《我喜欢猫》这首歌 | /我喜欢猫 | 我喜欢 https://example.com/cat",
            "我爱人在北京 | 我爱奇艺到期了 | 我爱莫能助 | 我爱了爱了 | 我喜欢一个人 | 我喜欢猫吧 | 我喜欢哪个好",
            "你觉得我喜欢几个 | 我喜欢不喜欢猫 | 不，我喜欢谁关你什么事",
        ),
    ),
    Rule(
        name="fear",
        kind="preference",
        pattern=whole(rf"我{FIRMLY}(?P<v>最?(?:害怕|怕))(?P<o>.{{1,8}})"),
        template="{who}{v}{o}",
        ban=re.compile(f"{NOT_LIKED.pattern}|{NOT_FEARED.pattern}"),
        examples=(("我怕辣", "小明（10001）怕辣"), ("我特别怕打雷啊", "小明（10001）怕打雷")),
        counterexamples=each("我怕是要迟到了 | 我怕来不及 | 我怕你生气 | 我怕明天下雨 | 我不怕辣 | 我怕什么"),
    ),
    Rule(
        name="name",
        kind="fact",
        key="name",
        importance=0.8,
        pattern=whole(
            rf"(?:我的?(?:大名|本名|真名|名字)?就?(?:叫做?|名叫)|我的?(?:名字|大名|本名|真名)就?是)\s?{NAME}"
        ),
        template="{who}叫{o}",
        ban=NOT_A_NAME,
        examples=(
            ("我叫王小明", "小明（10001）叫王小明"),
            ("大家好，我的名字是 Tom", "小明（10001）叫 Tom"),
            ("自我介绍一下：我叫李雷，今年20岁", "小明（10001）叫李雷"),
        ),
        counterexamples=each(
            "我叫了外卖 | 我叫他来 | 我叫什么 | 我叫滴滴 | 我叫妈妈来接我 | 我叫车了 | 他叫王小明 | 我叫你起床"
        ),
    ),
    Rule(
        name="nickname",
        kind="preference",
        key="nickname",
        importance=0.8,
        pattern=whole(
            r"(?:(?:(?:你们?|大家|各位|以后|今后|就|都|可以|请|直接)\s?){1,4}叫我"
            rf"{SHORT_NAME}{SO_BE_IT}?|叫我{SHORT_NAME.replace('<o>', '<o2>')}{SO_BE_IT})"
        ),
        template="{who}希望被叫作{o}",
        ban=NOT_A_NAME,
        examples=(
            ("叫我老王就好", "小明（10001）希望被叫作老王"),
            ("以后叫我阿明吧", "小明（10001）希望被叫作阿明"),
            ("你可以叫我 Leo", "小明（10001）希望被叫作 Leo"),
        ),
        counterexamples=each(
            "叫我起床 | 别叫我小明 | 请叫我起床 | 老师叫我小明 | 以后叫我一声 | 可以叫我老王吗 | 叫我怎么办"
        ),
    ),
    Rule(
        name="pet",
        kind="fact",
        pattern=whole(
            rf"我(?:家的?|的|养的|养了一?[只条个]|有一?[只条个台辆])(?P<t>{PET_OR_THING})(?:的?名字)?(?:叫做?|名叫){NAME}"
        ),
        template="{who}的{t}叫{o}",
        ban=NOT_A_NAME,
        examples=(
            ("我的猫叫豆豆", "小明（10001）的猫叫豆豆"),
            ("我家狗狗叫 Lucky", "小明（10001）的狗狗叫 Lucky"),
            ("我的服务器叫阿波罗", "小明（10001）的服务器叫阿波罗"),
        ),
        counterexamples=each(
            "我的猫叫什么 | 我的猫叫了一晚上 | 我妈叫我回家 | 我的猫叫得很惨 | 小红的猫叫豆豆",
            "我的儿子叫我起床",
        ),
    ),
    Rule(
        name="language",
        kind="fact",
        key="language",
        importance=0.6,
        pattern=whole(
            rf"我(?:现在|平时|一般|工作中?|上班)?主要(?P<v>写|用|使用)(?:的是)?\s?(?P<o>{LANGUAGE}(?:\s?[和、/与]\s?{LANGUAGE}){{0,3}})"
        ),
        template="{who}主要{v}{o}",
        examples=(
            ("我主要写 Python", "小明（10001）主要写 Python"),
            ("我现在主要用Rust和C++了", "小明（10001）主要用 Rust和C++"),
        ),
        counterexamples=each("我主要写什么 | 我以前主要写 Python | 我不主要写 Python"),
    ),
    Rule(
        name="mainly",
        kind="fact",
        pattern=whole(r"我(?:现在|平时|一般|工作中?)?主要(?P<v>写|用|使用|玩|研究|学)(?:的是)?(?P<o>.{1,20})"),
        template="{who}主要{v}{o}",
        ban=re.compile(r"^[来于了过到是的得]"),
        examples=(("我平时主要用 Linux", "小明（10001）主要用 Linux"), ("我主要玩原神", "小明（10001）主要玩原神")),
        counterexamples=each("我主要用来看番 | 我主要是懒 | 我主要用哪个"),
    ),
    Rule(
        name="home",
        kind="fact",
        key="home",
        importance=0.7,
        pattern=whole(r"我(?:现在|目前|一直|就)?(?:住在|家住在?|家在)(?P<o>[\u4e00-\u9fffa-z0-9 ]{2,30})"),
        template="{who}住在{o}",
        ban=NOT_A_HOME,
        examples=(("我住在杭州", "小明（10001）住在杭州"), ("我现在住在上海浦东啦", "小明（10001）住在上海浦东")),
        counterexamples=each(
            "我住在哪 | 我住在朋友家 | 我住在酒店 | 我住在这里 | 我以前住在杭州 | 我妈住在杭州",
            "我住在上海三年了",
        ),
    ),
    Rule(
        name="origin",
        kind="fact",
        pattern=whole(rf"我就?是(?:土生土长的?|地道的?|正宗的?)?(?P<o>(?:{PLACES}){{1,2}})人"),
        template="{who}是{o}人",
        examples=(("我是四川人", "小明（10001）是四川人"), ("我是广东潮汕人啊", "小明（10001）是广东潮汕人")),
        counterexamples=each("我是好人 | 我是机器人 | 我是哪里人 | 我不是四川人 | 我是四川人的女婿 | 我是负责人"),
    ),
    Rule(
        name="allergy",
        kind="fact",
        importance=0.9,
        pattern=whole(r"我对(?P<o>[^不没都]{1,12}?)(?:严重|重度|轻微|有点|有)?过敏"),
        template="{who}对{o}过敏",
        examples=(("我对花生过敏", "小明（10001）对花生过敏"), ("我对海鲜严重过敏！", "小明（10001）对海鲜过敏")),
        counterexamples=each("我对花生不过敏 | 我对什么过敏 | 我对你过敏 | 我对花生没过敏 | 小红对花生过敏"),
    ),
    Rule(
        name="birthday",
        kind="fact",
        key="birthday",
        importance=0.8,
        pattern=whole(rf"我的?生日(?:就?是在?|在|:)?\s?{DAY}"),
        template="{who}的生日是{o}",
        examples=(
            ("我生日是5月20日", "小明（10001）的生日是5月20日"),
            ("我的生日是农历八月十五哦", "小明（10001）的生日是农历八月十五"),
            ("我的生日在 1999-05-20", "小明（10001）的生日是1999-05-20"),
        ),
        counterexamples=each("我生日是几号 | 我生日是明天 | 我生日快到了 | 小红生日是5月20日"),
    ),
    Rule(
        name="decision",
        kind="decision",
        importance=0.7,
        over="sentence",
        pattern=whole(
            r"(?:我们|咱们?|大家)(?:已经|一致|刚刚?|最后|最终|都|今天|昨天){0,2}"
            r"(?:决定|定|商量好|说好|约好|敲定)(?:好?了|下来了?)?[,: ]{0,3}(?P<o>.+)"
        ),
        template="决定：{o}",
        ban=NOT_DECIDED,
        examples=(
            ("我们决定周会改到周四", "决定：周会改到周四"),
            ("我们定了，下个版本用 Rust 重写，文档先行。", "决定：下个版本用 Rust 重写，文档先行"),
            ("咱們決定用 pnpm", "决定：用 pnpm"),
        ),
        counterexamples=each(
            "我们决定吃什么 | 我们还没决定用哪个 | 我们决定不了 | 如果我们决定改期，再说 | 我们决定权不大",
            "他们决定周会改到周四 | 我们决定就这样吧 | 我们定的 | 我们可能决定改期",
        ),
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
    *ENGLISH_RULES,
)
