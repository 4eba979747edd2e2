"""Sentences that say that something is so no longer, and sentences that do not: the test of ``changes.py``."""

from __future__ import annotations

from .rule_words import each

REPLACEMENTS: tuple[tuple[str, str, str], ...] = (
    ("不是7月9号，是7月19号，我手滑", "7月9号", "7月19号"),
    ("打错了，不是杭州是苏州", "杭州", "苏州"),
    ("不是Java，是JavaScript啦", "Java", "JavaScript"),
    ("更正：是周四，不是周三", "周三", "周四"),
    ("三岁说错了，是四岁", "三岁", "四岁"),
    ("不對，不是豆豆，是逗逗", "豆豆", "逗逗"),
)
NO_REPLACEMENTS = each(
    "不是我，是他 | 不是这个是那个 | 不是吧 | 不是说好了吗，是谁改的 | 我不是不喜欢，是没时间 | 不是你的错，是我的",
    "是不是杭州",
)

# (kind, sentence, item without its subject)
ENDINGS: tuple[tuple[str, str, str], ...] = (
    ("fact", "别问我 Haskell早扔了", "主要写 Haskell"),
    ("fact", "我早就不写Java了", "主要写 Java"),
    ("fact", "原神我退坑了", "在玩原神"),
    ("fact", "我把猫送人了", "养了一只猫"),
    ("task", "爬山取消了", "2026-12-05要去爬山"),
    ("task", "去日本不去了 取消了", "2026-12-05要去日本"),
    ("task", "书已经还了", "2026-12-04要还书"),
    ("task", "北京的出差黄了", "2026-12-07要去北京出差"),
    ("preference", "烟我戒了", "喜欢抽烟"),
    ("preference", "榴莲已经不香了", "喜欢榴莲"),
    ("preference", "膝盖坏了，不爬山了", "喜欢爬山"),
    ("preference", "我已经不喝奶茶了", "喜欢喝奶茶"),
    ("preference", "没想到苦瓜还挺好吃的", "不喜欢苦瓜"),
    ("preference", "螺蛳粉真香", "讨厌螺蛳粉"),
    ("fact", "早就不住杭州了", "住在杭州"),
    ("fact", "吉他後來不彈了", "在学弹吉他"),
    ("decision", "周会改到周五了", "决定：周会定在周四"),
    ("decision", "团建改去莫干山了", "决定：团建去千岛湖"),
    ("decision", "周会还是定在周五吧", "决定：周会改到周四"),
    ("decision", "例会取消了", "决定：每周一例会"),
    ("preference", "榴莲？现在无感了", "爱吃榴莲"),
    ("preference", "现在不怕狗了", "怕狗"),
    ("preference", "猫还挺可爱的", "不喜欢猫"),
    ("fact", "仓鼠死了", "养了两只仓鼠"),
    ("fact", "咖啡戒了", "每天喝两杯咖啡"),
    ("fact", "最近不跑了", "每天早上跑步"),
    ("fact", "健身停了", "每周五健身"),
    ("fact", "我现在不早起了", "习惯早起"),
    ("fact", "我分手了", "有个女朋友"),
    ("fact", "我脱单了", "单身"),
    ("fact", "我离婚了", "结婚"),
    ("fact", "又抽上烟了", "不抽烟"),
    ("fact", "医生说我花生不过敏", "对花生过敏"),
    ("fact", "猫改名叫毛毛了", "的猫叫豆豆"),
    ("fact", "转学到同济了", "的学校是复旦"),
    ("decision", "不用pnpm了，统一换回npm", "决定：用pnpm"),
)  # fmt: skip
NO_ENDINGS: tuple[tuple[str, str, str], ...] = (
    ("fact", "Haskell不写了吗", "主要写 Haskell"),
    ("fact", "你不写Haskell了", "主要写 Haskell"),
    ("fact", "他把猫送人了", "养了一只猫"),
    ("fact", "如果我不住杭州了", "住在杭州"),
    ("fact", "杭州下雨了", "住在杭州"),
    ("fact", "今天不去杭州了", "住在杭州"),
    ("preference", "今天不吃火锅了", "喜欢吃火锅"),
    ("preference", "火锅真好吃", "喜欢吃火锅"),
    ("preference", "榴莲涨价了", "不喜欢榴莲"),
    ("decision", "周会几点", "决定：周会定在周四"),
    ("decision", "团建别迟到了", "决定：团建去千岛湖"),
    ("decision", "聚餐取消了", "决定：团建去千岛湖"),
    ("preference", "你？不喝了", "喜欢喝茶"),
    ("fact", "吉他弦断了", "在学弹吉他"),
    ("fact", "我朋友分手了", "有个女朋友"),
    ("fact", "他转学了", "的学校是复旦"),
    ("fact", "芒果不过敏", "对花生过敏"),
    ("fact", "不打了", "每天早上跑步"),
    ("decision", "露营改到周五了", "决定：周会定在周四"),
)
