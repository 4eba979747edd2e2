"""What people say about the memory itself: that something is not to be kept, or was remembered wrongly.

Each table has sentences that count and sentences that do not (separated by |); the tables are the test. What a change
of mind says anew (我现在用 Rust 了) is an ordinary statement: its slot takes the place of the old one.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Literal

from ..models import Turn, TurnState
from ..text import clean, fold
from .clauses import is_command
from .lazy_pattern import LazyPattern
from .rule_words import each

MAX_CHARS = 80
"""Whoever takes something back is short; a longer message is about other things too."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What is not to be kept.

    ``what`` is ``previous``: the speaker's last ``count`` messages before this one in the session; ``same``: this
    message itself, whose beginning says it; ``words``: whatever of the speaker's ``words`` speak of. This message never
    teaches anything in any of these cases.
    """

    what: Literal["previous", "same", "words"]
    words: str = ""
    count: int = 1


class Reaction(str, enum.Enum):
    """How somebody objects to an answer. What it rested on was ``WRONG``, or is no longer so (``OUTDATED``), or is not
    liked (``DISLIKED``)."""

    WRONG = "wrong"
    OUTDATED = "outdated"
    DISLIKED = "disliked"


_HINT = LazyPattern(r"忘|记|当我没|当没|没说|收回|撤回|删|forget|remember|delete|scratch|never ?mind")
_LEAD = (
    r"(?:(?:算了|不用了|没事|啊|呃|额|那个|哦|对了|不对|等等|等下|哎呀?|唉|好吧|抱歉|不好意思|说错了|"
    r"发错群?了?|打错了|小\S|bot|请|麻烦|你|快|还是|"
    r"拜托|帮我)[,。!~\s]*){0,4}"
)
_END = r"(?:吧|了|啊|哈|哦|呀|嘛|好吗|好不好|可以吗|行吗|谢谢|拜托)*[~!。.\s]*"
_THAT = (
    r"(?:(?:我?(?:刚刚?|刚才|上面|前面|之前|上一?[条句]|前一?[条句])(?:说|讲|发)?的?(?P<n>那?[两三几]|"
    r"那些?|那?一?|都|全部)?(?:[条句个](?:话|消息)?|话|消息|内容)?(?:说的|讲的|发的)?)"
    r"|这(?P<n2>[两三几]|一?|些)(?:[条句个件]事?|话|消息|事)?|那(?P<n3>[两三几]|一?|些)(?:[条句个件]事?|话|消息|事)?)"
)
_DROP = (
    r"(?:(?:就|都|也|全)?(?:当|算)(?:我|做我)?(?:没|没有)?(?:说|讲|发)(?:过)?|(?:就|都)?当我没说|"
    r"(?:就|都)?(?:别|不要|不用|不必|甭)(?:再)?(?:记|记住|记录|存|保存|记下来?|记着)"
    r"|(?:就|都)?(?:忘掉?|忘记|删掉?|撤回|收回|抹掉))"
)
_ALONE = LazyPattern(
    rf"{_LEAD}(?:{_THAT}\s?(?:你)?(?:就|都|请|可以)?{_DROP}(?:它|这个|这些|这句|这条)?{_END}"
    r"|(?:请|就|都)?(?:忘了|忘掉|忘记|删掉|删了)(?:吧|它|它吧|这个|这个吧|这句|这句话|这事|这件事|"
    r"这条|刚才的?|刚才说的|刚才那[句条个])(?:吧|话)?"
    rf"(?:[,\s]*(?:别|不要)记(?:这个|了)?)?{_END}"
    r"|(?:别|不要|不用)(?:再)?(?:记|记住|记录|存)(?:住|着|下来?)?(?:这个|这条|这句话?|这些|这件事|"
    rf"这事|它|了|刚才(?:的|那[句条个]|说的)(?:话)?)?{_END}"
    rf"|(?:就)?当我(?:刚才)?没(?:说|讲|发)(?:过)?{_END}|(?:我)?收回(?:刚才|之前|上面)(?:的|那句)话?{_END}"
    r"|(?:please )?(?:forget (?:that|it|what i (?:just )?said)|don['’]t (?:remember|save|keep) "
    r"(?:that|this|it)|scratch that|delete that)[.! ]*)"
)
_WORDS = LazyPattern(
    rf"{_LEAD}(?:把(?P<w>.{{2,40}}?)(?:这件事|这事|这个|这条|那件事|这点|这回事)?(?:给|都|全)?(?:忘了|"
    r"忘掉|忘记|删了|删掉|抹掉)"
    r"|(?:忘了|忘掉|忘记|删掉|删除)(?P<w2>(?:关于)?我.{2,40}?)(?:这件事|这事|这个|这条|这点|这回事|的事)?"
    r"|(?:别|不要|不用)(?:再)?(?:记|记住|记着|记录)(?P<w3>我.{2,40}?)(?:这件事|这事|这个|这条|这点|这回事|的事)?"
    r"|(?:please )?(?:forget|don['’]t remember) (?:that )?(?P<w4>(?:i|my) .{3,60}?))"
    rf"{_END}"
)
_TAIL = LazyPattern(
    r"(?:^|[,。!~;\s])(?:不过|但是?|哈)?(?:这[条句个]|这句话|这事|这个)?(?:你)?(?:可|就)?(?:别|不要|"
    r"不用|不必)(?:记|记住|记录|存)(?:这个|这条|这句话?|这事|下来|住|了|它)?"
    rf"{_END}$|(?:^|[,。!~\s])(?:就)?当我没说(?:过)?{_END}$|(?:^|[,.\s])don['’]t (?:remember|save) "
    r"(?:this|that|it)[.! ]*$"
)
_NOT_WITHDRAWN = LazyPattern(
    r"[吗么?]|密码|怎么|什么|为什么|忘不|忘性|笔记|别记仇|别记恨|记者|账|他|她|你[说讲]|我忘|提醒|带|钥匙|"
    r"伞"
)
_COUNTS = {"两": 2, "三": 3, "几": 5, "些": 5, "都": 5, "全部": 5}

WITHDRAWALS = each(
    "忘了吧 | 别记这个 | 不用了 忘了吧 别记这个 | 刚才那句当我没说 | 算了 刚才那句别记 | "
    "不要记住刚才的 | 当我没说 | 这条当我没说",
    "啊不对 发错群了 这条当我没说 | 刚才说的别记 | 上一条别记了 | 忘掉刚才那句 | 我刚才说的都忘了吧 |"
    " 忘了这件事吧 | 不要記住這個",
    "forget it | Forget what I just said | don't remember that | 请忘记刚才说的 | 刚才那两句别记",
)
"""All of the kind ``previous``."""
WITHDRAWALS_OF_WORDS: tuple[tuple[str, str], ...] = (
    ("把我喜欢咖啡这件事忘了", "我喜欢咖啡"),
    ("忘掉我喜欢咖啡", "我喜欢咖啡"),
    ("别记我喜欢咖啡这事", "我喜欢咖啡"),
    ("不要记住我住在杭州", "我住在杭州"),
    ("忘记我的生日吧", "我的生日"),
    ("Forget that I like tea", "I like tea"),
)
WITHDRAWALS_OF_ITSELF = each(
    "我刚失恋了，别记这个 | 我暗恋小红 不要记 | 我喜欢咖啡，当我没说 | I like tea, don't remember that"
)
NO_WITHDRAWALS = each(
    "我忘了 | 别忘了吧台的钥匙 | 别忘了带伞 | 忘了带伞 | 忘了吗 | 你忘了？ | 别记仇 | 不记得了 | "
    "忘不了 | 记住了 | 忘了密码怎么办",
    "别忘了我喜欢猫 | 他说忘了吧 | 刚才那句是什么意思 | 当我没看见 | 我没说过 | 算了 | 不用了 | "
    "别记错了 | 把伞忘了 | 把钥匙忘了",
    "记得把门关上 | 我把作业忘了 | 忘了他吧 | /memory forget 3 | 刚才说的对 | 我把这事忘了 | 删了吧那个软件",
)

_WRONG = LazyPattern(
    r"(?:不是|不对|错了|哪有|没有|啊|诶|咦|等等|喂|你)?[啊吧的呀,!。~\s]*(?:"
    r"(?:我)?(?:可|从来|从|又|根本|真的?|好像)?(?:没|没有)(?:这么|这样)?(?:说|讲|提)过?(?:这[个话句]|"
    r"这种话|啊|吧|呀|这事)*"
    r"|你?(?:是不是)?(?:记|搞|弄|认)(?:错|混|岔)(?:人)?了?(?:吧|啊)*|(?:那|这)?(?:可|"
    r"又)?不是我(?:说的|的|啊|吧)?|(?:那|这)是(?:别人|他|她|小\S|\S{1,6})(?:说的|的事)"
    r"|谁(?:跟你|告诉你)?说(?:的)?(?:我)?.{0,12}|(?:你)?(?:在)?(?:胡说|瞎说|瞎编|乱说)(?:什么|八道)?|"
    r"哪(?:有|里)(?:的事|啊)?|(?:完全)?(?:不对|错了|不是(?:这样|这么回事|的)?)"
    r"|i never said (?:that|so|this)|(?:that|this)['’]?s (?:not true|wrong|not me)|you(?:['’]re| are) wrong|wrong"
    r")[啊吧的呀呢哦嘛了,!。~.\s]*"
)
_OUTDATED = LazyPattern(
    r"(?:不是|不对|不了|没有|啊|那是)?[啊吧的,!。~\s]*(?:"
    r"(?:我)?(?:早就|早|现在|已经|后来|如今)(?:已经|就|都)?(?:不|没|换|改|搬|辞|戒|分)(?!知道|是说|"
    r"想说|在说)[^吗?]{1,12}"
    r"|(?:那)?(?:都)?(?:是)?(?:以前|之前|过去|老黄历|很久以前|去年|小时候)(?:的事|了|的)?|"
    r"(?:我)?不(?:再)?(?:喜欢|用|住|吃|喝|玩)(?:这个|它|那个|那里|那儿)了"
    r"|not any ?more|i don['’]t .{2,20} any ?more"
    r")[啊吧的呀呢哦嘛了,!。~.\s]*"
)
_DISLIKED = LazyPattern(
    r"(?:可是?|但是?|不是|不对|不|啊|诶|咦|呃)?[啊吧的,!。~\s]*(?:"
    r"(?:可)?(?:我)?(?:又|根本|其实|真的?|从来|就|一直|可)?(?:不|没|没有|不太|不怎么)(?:喜欢|爱|想要|"
    r"爱吃|爱喝)(?:过)?(?:这个|那个|它|这种|这些|吃这个|喝这个|听这个|这)"
    r"|(?:我)?(?:最)?(?:讨厌|受不了)(?:这个|那个|它|这种)|(?:我)?不(?:要|想要)(?:这个|这种|这些)|i "
    r"(?:do not|don['’]t) like (?:this|that|it)"
    r")[啊吧的呀呢哦嘛了,!。~.\s]*"
)

REACTIONS: tuple[tuple[str, Reaction], ...] = (
    *((text, Reaction.WRONG) for text in each(
            "不是，我没说过 | 你记错了 | 我没说过这话 | 你记错人了吧 | 不对，你搞错了 | 不是我 | "
            "那不是我说的 | 我可没这么说过 | 我從來沒說過",
        "不对 | 谁说的 | I never said that | that's wrong | 哪有啊",
    )),
    *((text, Reaction.OUTDATED) for text in each(
        "我早就不喜欢了 | 那是以前的事了 | 我现在不住那儿了 | 不喜欢这个了 | 已经换了 | not anymore")),
    *((text, Reaction.DISLIKED) for text in each(
        "我不喜欢这个啊 | 可是我不喜欢这个 | 我不爱吃这个 | 不，我不喜欢这种 | I don't like that | "
        "我讨厌这个")),
)  # fmt: skip
NO_REACTIONS = each(
    "好的 | 谢谢 | 对 | 是的 | 我喜欢这个 | 我不喜欢香菜 | 不是吧哈哈 | 没事 | 你记得真清楚 | "
    "记错了怎么办 | 我没说过吗",
    "我不知道 | 现在不知道 | 不用了 | 你喜欢这个吗 | 小红说你记错了密码 | 以前怎么样 | 我现在不想说话 | 不错 | 没有",
)


def _own_words(turn: Turn) -> str:
    """What the speaker said, folded, without the @names it begins with; empty where a turn does not count."""
    said = turn.state in (TurnState.ORDINARY, TurnState.UNLEARNT)  # 忘了吧 holds for who is opted out too
    if turn.role != "user" or not said or not turn.stands or not turn.account:
        return ""
    text = turn.text
    if len(text) > 4 * MAX_CHARS or is_command(text):
        return ""
    folded = " ".join(fold(clean(text)).split())
    folded = re.sub(r"^(?:@\S{1,40}\s+)+", "", folded)
    return folded if len(folded) <= MAX_CHARS else ""


def match_withdrawal(turn: Turn) -> Withdrawal | None:
    """What ``turn`` asks not to be kept; None if it asks nothing of the kind. Never raises."""
    words = _own_words(turn)
    if not words or not _HINT.search(words):
        return None
    match = _WORDS.fullmatch(words)
    if match is not None:
        about = next(part for part in match.groups() if part)
        mine = about.startswith(("我", "i ", "my ", "关于我"))
        if mine and not _NOT_WITHDRAWN.search(about):
            return Withdrawal("words", about.removeprefix("关于").strip())
        return None
    if _NOT_WITHDRAWN.search(words):
        return None
    match = _ALONE.fullmatch(words)
    if match is not None:
        number = "".join(part or "" for part in (match["n"], match["n2"], match["n3"]))
        number = number or ("都" if re.search("[都全]", words) else "")
        return Withdrawal("previous", count=next((value for word, value in _COUNTS.items() if word in number), 1))
    tail = _TAIL.search(words)
    if tail is not None:
        return Withdrawal("same" if words[: tail.start()].strip(" ,。!~") else "previous")
    return None


def match_reaction(turn: Turn) -> Reaction | None:
    """How ``turn`` objects to the answer right before it; None if it does not. Never raises.

    Only the whole of a short message counts. Whether an answer that used a memory came right before, and was for this
    speaker, is for the caller to know: 不对 alone means nothing elsewhere.
    """
    words = _own_words(turn)
    if not words or len(words) > 40 or words.endswith(("?", "吗")):
        return None
    if _OUTDATED.fullmatch(words):
        return Reaction.OUTDATED
    if _DISLIKED.fullmatch(words):
        return Reaction.DISLIKED
    if _WRONG.fullmatch(words):
        return Reaction.WRONG
    return None
