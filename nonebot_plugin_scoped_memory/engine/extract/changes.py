"""What a message says of things that were so: 不是 7 月 9 号，是 19 号; Haskell 早不写了; 上次说的作废，改成….

A statement that fills a slot anew (我现在用 Rust) needs none of this. What counts and what does not stands in
``change_examples.py``, which is the test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..models import Item, Turn
from ..text import clean, fold
from .clauses import Folded, read
from .lazy_pattern import LazyPattern
from .rule_words import LANGUAGE

MAX_CHARS = 80
"""A correction is short; in a longer message 不是…，是… is mostly part of a story."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """``new`` stands where ``old`` stood, both as written. ``slip``: the speaker says that it was a slip."""

    old: str
    new: str
    slip: bool


_PART = r"[^,。!?;:\s]{1,20}?"
_TAIL = r"[啊呀哦啦哈哒的了]{0,2}[~!。.]*"
_SLIP = LazyPattern(
    r"手滑|口误|(?:说|打|写|记|搞|看|发)[错混]|笔误|更正|纠正|订正|脑子瓦特|嘴瓢|抱歉|不好意思|typo|sorry"
)
_SWAPS = (
    LazyPattern(
        rf"(?:^|[,。!\s])(?:我)?(?:的)?不是(?P<old>{_PART})[,\s]*(?:而是|应该是|是)(?P<new>{_PART}){_TAIL}(?=$|[,。!\s])"
    ),
    LazyPattern(rf"(?:^|[,。!:\s])(?:应该)?是(?P<new>{_PART})[,\s]*不是(?P<old>{_PART}){_TAIL}(?=$|[,。!\s])"),
    LazyPattern(
        rf"(?:^|[,。!\s])(?P<old>{_PART})(?:说|打|写|记)错了?[,\s]*(?:应该|其实)?是(?P<new>{_PART}){_TAIL}(?=$|[,。!\s])"
    ),
    LazyPattern(r"\bnot (?P<old>[\w' -]{1,30}?),? (?:but|it['’]?s|i meant) (?P<new>[\w' -]{1,30}?)[.!]?(?=$|[,.!])"),
)
_NO_PART = LazyPattern(r"[你我他她它谁]|这|那|什么|怎么|因为|所以|说|人家|别人|就是|只是|一直|有点|真的|吗|吧$|不")


# What is left of an item when its predicate, its day and its measure words are taken off: the thing it is about.
_PREDICATE = LazyPattern(
    r"^(?:(?:每[天周月年晚]|习惯|以后|今后|现在|目前|平时|一般|主要|最近|特别|超级?|很|最|真的|一直|常|经常|正?在|已经|也|的?主力语言|\d{4}[-年][\d月-]{1,6}[日号底]?(?:至[\d-]{8,10})?"
    r"|(?:早|晚)?上|下午|中午|[\d点半:]+)*)(?:(?:不|没|怕|能)?(?:太|怎么|再|想)?"
    r"(?:喜欢|爱|讨厌|受不了|写|用|住在?|家在|老家在?|的(?:工作|职业|生日|名字|主力语言|专业|老家|家|猫|狗|宠物)?(?:是|叫|在)|是|养了?|有|会|学|玩|打|要|打算|计划|去|到|对|吃|喝|看|听|做|当|"
    r"定在|决定|希望被叫作)(?:了|着|过)?(?:[一两三四五\d]{1,2}[只条个台辆部本杯瓶碗包根罐])?){0,3}(?:吃|喝|看|听|玩|写|用|去|做|打|坐|住|开|买|养|学|练|交|考|弹|抽|还|拉|画|唱|跳|骑|办|取|拿|参加){0,2}"
)
DAYS = LazyPattern(
    r"\d{4}[-年]\d{1,2}[-月]\d{1,2}[日号]?|\d{1,2}月\d{1,2}[日号]?|[上下这本]*(?:周|星期|礼拜)[一二三四五六日天末](?:[早晚]上|[上下中]午)?|[今明后][天晚早]|月底"
    r"|(?<![第\d一二三四五六七八九十])(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?:[点号](?:半|钟)?)"
)
_TAIL_WORDS = LazyPattern(r"(?:定在|定为|改[到在成]|[都就]?在|都|统一|的时候|过敏|了|的|吧|去)+$")
# What says that it is so no longer. Of an occasion (今天不去了) it says so only where the item is one.
_NO_MORE = (
    r"[不没别](?:再|怎么|太|想|能|会|让|敢|准)?[^,。]{0,8}(?:了|啦)|弃|戒(?:了|掉)|卸了|腻|[吃喝看听玩](?:吐|伤|够)|到吐|想吐|反胃|"
    r"脱粉|停(?:了|掉)|放弃|荒废|[退脱弃]坑|不香|无感|没感觉|没兴趣|下头|祛魅|免疫|也就那样|就那样吧?$|一般(?:般)?(?:了|吧|啊)?$|拜拜|碰都不碰|再也不|"
    r"不好[吃喝看听玩]|讨厌|拉黑|放一边|以前的事|不行了|卖(?:了|掉)|送人|送走|扔了|丢了|走丢|去世|过世|辞(?:了|职)|离职|离开|离了|改行|转行|"
    r"转岗|跳槽|毕业|退(?:了|学|群|租)|关门|倒闭|分手|离婚|(?:已经|早就?|都)[^,。]{0,4}了$|早(?:就)?[^,。]{0,6}了"
)
_OFF = (
    r"取消|延[期后]|改期|推迟|推到|提前|泡汤|(?<!^)黄了|吹了|作罢|鸽了|[去看办搞做来赶](?:不(?:了|成)|不到)|不用|不办|算了|已经[^,。]{1,4}了|退了|"
    r"(?:还|交|办|做|搞|考|买|写|去|看|弄)(?:完|好|过|掉)?了$|搞定|完成|改(?:到|在|成|为)"
)
_OVERTURNED = (
    r"取消|作废|推翻|不算数|不作数|改(?:到|在|成|为|用|住|吃|去|坐|玩|(?=周|星期|礼拜|[下今明后]|\d))|换(?:成|到|回|了)|推迟|推到|延[期后]|提前|时间变了|"
    r"还是(?:定|改|放)在?|订不到|没[票位]|[去来办]不(?:了|成)|不(?:行|成)了?|[不没别](?:再|用|去|坐|吃|住|玩|打|开|在)?[^,。]{0,8}了"
)
_LIKED_NOW = (
    r"真香|爱上|迷上|喜欢上|上头|圈粉|入坑|打脸|接受|没(?:有)?那么(?:难|讨厌)|不欢|(?:现在|居然|竟然|突然|反而|开始|其实|也|好像)[^,。]{0,6}"
    r"(?:喜欢|爱|能?[吃喝]|不错|好[吃喝看听玩]|可以|香)|改观|路转粉|(?:还|挺|真|蛮|也)(?:真)?(?:挺|蛮)?(?:不错|好[吃喝看听玩]|香|可以|可爱|有意思)|习惯了|收回"
)
_NO_OBJECT = LazyPattern(
    r"(?:我|嗯|啊|唉|哎|害|嗐|[,\s])*(?:早就?|已经|现在|后来|都|也|上[周个]月?|去年)?(?:[不没](?:再|怎么|想)?[\u4e00-\u9fff]{0,3}|戒|弃|退|卖|扔|丢|辞|搬|换|转|改|"
    r"取消|推迟|延期|黄|泡汤|算)(?:掉|坑|走)?(?:了|啦)+[,。.!~]*"
)
_EVERY = LazyPattern(r"^每(?![天周月年晚])")
_TOPIC_ENDS = LazyPattern("去|用|定|改|在|放|换|搬|选|,| ")
_ASKED_BACK = LazyPattern(r"(?P<thing>[^?,。!\s]{1,8})\?\s*(?P<now>[^?]{2,20})")
_MISTAKE = LazyPattern("(?:打|说|写|记|发)错|手滑|口误|笔误|更正")
_ASKS = LazyPattern(r"[?]|[吗呢么吧没]\s*$|还[^,。]{0,8}[吗没不]|怎么样|如何|什么时候|几点")
_VERB = LazyPattern("[住吃去坐用玩打穿带爬逛看交考办买拿取见]")
# A single value gives way to another one that the speaker is said to have now, whichever: 搬家了, 转岗测试了.
_CARRIED = r"(?!.*(?:把|东西|快递|桌|椅|箱|砖|货|书|水|行李))"
MOVED_ON = {
    ("fact", "home"): LazyPattern(
        rf"^{_CARRIED}.*(?:(?<!不)搬(?:家|到|去|来|的家|走了|了)|定居|安家|新家(?![具伙电教庭])|换(?:了个)?城市|换到.{{2,6}}住|退租|来.{{2,4}}住了|住的是|现在我?住)"
    ),
    ("fact", "job"): LazyPattern(
        r"跳槽|转(?:岗|行)|改行|换(?:了[一个份]*)?工作|离职|辞(?:职|了)|被裁|现在的?工作是|现在改做|"
        r"^(?:我|已经|刚)?转(?![发账钱给载身告述播运眼头弯圈盘世会到])[\u4e00-\u9fff]{2,4}了$"
    ),
    ("fact", "workplace"): LazyPattern(
        r"跳槽|离职|辞(?:职|了)|被裁|换(?:了[一个份家]*)?(?:工作|公司|东家)|现在[在去].{1,8}(?:上班|工作)"
    ),
    ("fact", "school"): LazyPattern(r"转[学校]|(?<!他)毕业了"),
    ("fact", "major"): LazyPattern(r"[转换](?:了[个]?)?专业"),
    ("fact", "name"): LazyPattern(r"改(?:了[个]?)?名"),
    ("preference", "nickname"): LazyPattern(
        r"(?:改口?|换个?(?:称呼|名字)?|还是|不要|别|以后|请|现在|称呼|^)[^,。]{0,8}(?:叫|喊|称呼)我(?![起去来过一吃上打带看出回名什干的])"
    ),
    ("fact", "birthday"): LazyPattern(
        r"(?:^|我的?)生日[^,。]{0,8}(?:才对|更正|应该|其实|[记说写打]错|[少多]打)|才是我?的?生日|"
        r"(?:打错|写错|记错|说错|手滑|更正|纠正)[^,。\d]{0,6}\d{1,2}月"
    ),
    ("fact", "language"): LazyPattern(
        rf"(?:(?:转|换|改|跳到|投奔|入坑|主力|主要|主攻)[^,。]{{0,6}}|现在[^,。]{{0,4}}[写用搞是主][^,。]{{0,2}})"
        rf"{LANGUAGE}(?![a-z0-9盘]|作业|课|考试|脚本|代码|报错)|{LANGUAGE}\s?写得多"
    ),
}
"""By kind and key."""
# States that exclude each other, named by neither: words to find the one by, what an item says, and what ends it.
_OPPOSITES = (
    (
        "单身 没有对象 没有女朋友 没有男朋友",
        LazyPattern(r"单身|没有?(?:男|女)?(?:朋友|对象)$"),
        LazyPattern(r"脱单|有(?:男|女)?(?:朋友|对象)了|结婚了|订婚了"),
    ),
    (
        "有对象 有女朋友 有男朋友 谈恋爱 结婚 已婚",
        LazyPattern(r"有个?(?:男|女)?(?:朋友|对象)$|谈恋爱|结婚$|已婚"),
        LazyPattern(r"分手|离婚|恢复单身|掰了"),
    ),
    ("学校", LazyPattern(r"的学校是"), LazyPattern(r"转学|(?<![没才])毕业了")),
    ("不抽烟 戒烟", LazyPattern(r"不抽烟|戒烟"), LazyPattern(r"又?抽上(?:烟)?了|复吸")),
)
_CANNOT_BEAR = LazyPattern("过敏|不耐受")
_CAN_BEAR = LazyPattern("不过敏|误诊|不是.{0,10}(?:过敏|不耐受)|脱敏")
_NAMED_PET = LazyPattern(r"的(?P<pet>[\u4e00-\u9fff]{1,3})叫")
_EXERCISE = "跑游健抽打弹画唱跳骑练"
"""Verbs of habits of two characters, which are given up without the second: 跑步, 不跑了."""
_TOPIC_CHANGED = LazyPattern("改(?:到|去|成|为|在|用)|取消|换(?:成|到)|作废|推迟")
_ONCE = LazyPattern(r"今[天晚早]|这次|这周|本周|周末|明天|暂时|先不|待会|等下|刚刚?|昨[天晚]|上次")
_DISLIKING = LazyPattern(r"^(?:现在|一直|特别|很|最|超)*(?:不|没|讨厌|受不了|怕|反感|烦|嫌|恨)")
LISTS_OF_KIND: dict[str, LazyPattern] = {
    "preference": LazyPattern(_NO_MORE),
    "fact": LazyPattern(rf"{_NO_MORE}|搬(?:走|离)|转(?!发)|换"),
    "task": LazyPattern(rf"{_OFF}|{_NO_MORE}"),
    "decision": LazyPattern(_OVERTURNED),
}
_TURNED = LazyPattern(_LIKED_NOW)
_FEARED_NO_MORE = LazyPattern("不(?:再|太|怎么)?(?:怕|讨厌|烦|排斥|反感|嫌)")
_ANY = LazyPattern(
    "|".join(
        (
            _NO_MORE,
            _OFF,
            _OVERTURNED,
            _LIKED_NOW,
            "搬|转|换|改|错|现在|新家|定居|安家|叫我|喊我|生日|投奔|住的"
            "|死|喵星|汪星|走失|脱单|有.{0,2}(?:朋友|对象)|结婚|订婚|掰了|抽上|复吸|误诊|不是|不过敏|脱敏",
        )
    )
)
# Somebody else's change, or one that is only wished for.
_OF_OTHERS = LazyPattern(
    r"^(?:(?<!吉)他|她|它|你|谁|人家|别人|我(?:妈|爸|们家|哥|姐|弟|妹|朋友|同[事学]|室友|老[公婆板师]|男友|女友|对象|闺蜜)|如果|要是"
    r"|[小老阿][\u4e00-\u9fff](?=[搬换辞跳转离改]))"
)
_WISHED = LazyPattern(r"(?:想|打算|准备|考虑|计划|快要?|将要|等我?)[^,。]{0,4}(?:辞|离职|搬|换|转|跳槽)")
_KEPT = LazyPattern("养|宠物")
_GONE = LazyPattern(r"[不没](?:再)?养|送|卖|丢|走失|去世|过世|死|喵星|汪星")
_AWAY = LazyPattern(r"出差|旅游|旅行|玩")


def match_replacement(turn: Turn) -> Replacement | None:
    """What ``turn`` puts in place of what; None if it corrects nothing so, or is nobody's. Never raises."""
    text = clean(turn.text)
    if turn.role != "user" or not turn.account or len(text) > MAX_CHARS:
        return None
    folded = Folded.of(text)
    if "?" in folded.text:
        return None
    for pattern in _SWAPS:
        match = pattern.search(folded.text)
        if match is None:
            continue
        parts = [match["old"].strip(), match["new"].strip()]
        if parts[0] == parts[1] or not all(parts) or any(_NO_PART.search(part) for part in parts):
            continue
        old, new = (folded.wording(*match.span(name)).strip() for name in ("old", "new"))
        return Replacement(old, new, bool(_SLIP.search(folded.text)))
    return None


def match_endings(turn: Turn) -> list[str]:
    """The clauses of ``turn``, folded, that say that something is so no longer, or is liked now; none of a bot's. Never
    raises."""
    text = clean(turn.text)
    if turn.role != "user" or not turn.account or len(text) > MAX_CHARS:
        return []
    message = read(text)
    if message.openly_joking:
        return []
    clauses = [
        message.folded.text[clause.start : clause.end].strip()
        for sentence in message.sentences
        for clause in sentence.clauses
        if not clause.doubtful and not sentence.asks
    ]
    whole = message.folded.text.strip()
    alone = len(message.sentences) == 1 and len(clauses) == 1  # with what stands before its statement
    parts = dict.fromkeys(part for clause in clauses for part in (clause, *clause.split(), *([whole] if alone else ())))
    if (asked := _ASKED_BACK.fullmatch(whole)) is not None:
        parts[f"{asked['thing']}{asked['now']}"] = None
    return [part for part in parts if _ANY.search(part) and not _OF_OTHERS.match(part) and not _WISHED.search(part)]


def slips(turn: Turn) -> bool:
    """Whether ``turn`` says that something was a slip of the pen or the tongue."""
    return len(turn.text) <= MAX_CHARS and _MISTAKE.search(fold(turn.text)) is not None


def frame_of(content: str) -> str:
    """What stands before the thing an item is about: 小明的猫叫 of 小明的猫叫豆豆."""
    return content.removesuffix(thing_of(content.rpartition("）")[2]))


def words_of_ended(clause: str) -> str:
    """Words of states that ``clause`` ends without naming them: 单身 for 脱单了."""
    return " ".join(words for words, _, other in _OPPOSITES if other.search(clause))


def answers_only(clause: str) -> bool:
    """Whether a clause says that something is over without saying what: 早不写了, 戒了, 取消了."""
    return len(clause) <= 8 and _NO_OBJECT.fullmatch(clause) is not None


def asks(text: str) -> bool:
    """Whether somebody asks with ``text`` how something stands."""
    return len(text) <= MAX_CHARS and _ASKS.search(fold(text)) is not None


def ends(clause: str, item: Item, name: str, *, asked: str = "") -> bool:
    """Whether ``clause`` says that ``item`` is so no longer: it names the thing the item is about, or the question
    ``asked`` before it does, and what it says of it fits the item's kind. ``name``: how the item names its subject."""
    said = LISTS_OF_KIND.get(item.kind)
    if said is None:
        return False
    content = fold(item.content.replace(name, "")).strip()
    if item.kind == "fact" and not asked and _excluded(content, clause):
        return True
    if item.kind == "decision" and _TOPIC_CHANGED.search(clause) is not None and _topic(content) in clause:
        return True
    about = fold(asked) or clause
    thing = next((thing for thing in _things(content, item.kind) if _names(about, thing)), "")
    if not thing and asked:
        return False
    if not thing:
        moved_on = MOVED_ON.get((item.kind, item.key or ""))
        return moved_on is not None and moved_on.search(clause) is not None
    rest = clause.replace(thing, " ")
    if item.kind in ("preference", "fact"):
        if _DISLIKING.search(content):
            return _TURNED.search(rest) is not None or _FEARED_NO_MORE.search(clause) is not None
        if _ONCE.search(rest) or (item.key == "home" and _AWAY.search(rest)):
            return False
        if _KEPT.search(content) and not asked:
            return _GONE.search(clause) is not None
    return said.search(rest) is not None


def _excluded(content: str, clause: str) -> bool:
    """Whether ``clause`` says what cannot be together with the state ``content``."""
    if any(state.search(content) and other.search(clause) for _, state, other in _OPPOSITES):
        return True
    if _CANNOT_BEAR.search(content):
        return _CAN_BEAR.search(clause) is not None and _names(clause, thing_of(_CANNOT_BEAR.sub("", content)))
    pet = _NAMED_PET.match(content)
    if pet is not None and re.search(rf"{re.escape(pet['pet'])}.{{0,3}}(?:改名|换了?名)", clause):
        return True
    thing = thing_of(content)
    return (
        len(thing) == 2 and thing[0] in _EXERCISE and re.search(rf"[不没](?:再|怎么)?{thing[0]}了", clause) is not None
    )


def _topic(decision: str) -> str:
    """What a decision with a verb is about, 团建 of 团建去千岛湖; what is in no clause where that is nothing."""
    words = DAYS.sub("", re.sub(r"^决定\s*[:：]\s*", "", decision))
    end = _TOPIC_ENDS.search(words)
    first = words[: end.start() if end is not None else None].lstrip("每")
    return first if 2 <= len(first) <= 8 else "\n"


def _things(content: str, kind: str) -> list[str]:
    thing = thing_of(content)
    # 露营住木屋 falls with the 木屋, 爬黄山 with 黄山.
    last = _VERB.split(thing)[-1] if kind in ("decision", "task") else thing
    return [thing, last] if len(last) > 1 else [thing]


def thing_of(content: str) -> str:
    """What an item is about, without its predicate and its days: 猫 of 养了一只猫, 周会 of 决定:周会定在周四."""
    words = DAYS.sub("", re.sub(r"^决定\s*[:：]\s*", "", content))
    words = _EVERY.sub("", words)
    predicate = _PREDICATE.match(words)
    thing = words[predicate.end() :] if predicate is not None else words
    return _TAIL_WORDS.sub("", thing).strip(" ,。.!") or _TAIL_WORDS.sub("", words).strip(" ,。.!")


def _names(clause: str, thing: str) -> bool:
    """Whether a clause names a thing: in its own words, perhaps with a 的 between; a thing of one character only where
    it begins something or stands behind a verb (把猫送人, 不弹琴), not inside another word."""
    if not thing:
        return False
    if len(thing) == 1 and not thing.isascii():
        return (
            re.search(
                rf"(?:^|[怕把戒退写玩养吃喝看听学练做去抽弹还买]|我家?的?|那[只本个条]){re.escape(thing)}", clause
            )
            is not None
        )
    if thing in clause:
        return True
    return len(thing) >= 4 and re.search(".{0,2}?".join(map(re.escape, thing)), clause) is not None
