"""What is learnt at once and without a model. Few rules and precise ones: a wrong memory is worse than none."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from ..models import MAX_ITEM_CHARS, Proposal, Turn, TurnState
from ..scope import GLOBAL_SCOPED_KINDS
from ..text import clean, fold, person
from .checks import against_the_prompt
from .clauses import LEAD, Clause, Message, Sentence, is_command, read
from .corrections import match_withdrawal
from .dates import resolve
from .explicit import REQUEST, REQUEST_EN, content_of, explicit_proposal
from .lazy_pattern import LazyPattern
from .matching import Filled, fill
from .rule_table import CLAUSE_RULES, SENTENCE_RULES, Rule
from .secrets import find_secret
from .taken_back import takes_back

__all__ = ["MAX_STATEMENT_CHARS", "RULE_CONFIDENCE", "explicit_proposal", "match_rules"]

MAX_STATEMENT_CHARS = 500
"""In a longer message only a request to remember counts: essays, logs and copied text are not about their sender."""

RULE_CONFIDENCE = 0.9

_COPIED = LazyPattern(r"\s*(?:[\[(【]?转[\])】:]|[\[(【]转[发载]|转[发载][:,]|【|traceback\b|>)")
_SELF = LazyPattern("我(?![们國国])")
_OWN = LazyPattern(
    r"(?:我(?![们國国妈爸爷奶姐妹哥弟舅姑姨叔]|家|的?(?:同|朋|室|老[公婆板师]|女|男|儿|对象|领导))|"
    r"本人|俺|在下)|(?:不对|更正|说错|打错|其实|坐标|计划有变|别[叫喊]我|换工作|转行|跳槽|"
    r"(?:上个?[月周]|去年|今年|刚刚?|已经|最近|早就)?搬家|老家)"
)
_SAID_TO = LazyPattern(
    r"[\s,:、~!。.]|我|本人|记[住一得下着]|请|麻烦|帮|别|不要|以后|今后|你|叫|提醒|"
    r"(?:明天|后天|下周|今晚|周末).{0,8}(?:提醒|叫|喊|记得|帮|我)|remember\b|please\b|i\b|my\b"
)
_REQUEST_ROOM = 100  # characters that a request may take beside the content it is about


def match_rules(
    turn: Turn,
    *,
    name: str = "",
    zone: tzinfo | None = None,
    bots: frozenset[str] | None = None,
    nicknames: frozenset[str] = frozenset(),
) -> list[Proposal]:
    """What ``turn`` says plainly of its speaker, what it decides, and what it asks to remember.

    ``name`` is how the speaker is called, the turn's own name if empty. With ``zone``, 明天 and the like become dates
    of that time zone; with ``bots``, a request that begins by naming members only is theirs to remember. ``nicknames``
    are what the bot is called. Only the speaker's own words count, never quotes. Nothing comes of a bot's or tool's
    turn, of a turn that is not ordinary or does not stand, of an anonymous speaker, and of a bot command. Never raises.

    A secret is left out, except where the person asked to remember it: then the checks refuse it with a reason.
    """
    if turn.role != "user" or turn.state is not TurnState.ORDINARY or not turn.stands or not turn.account:
        return []
    text, addressees = _without_addressees(clean(turn.text), turn)
    text, called = _without_nickname(text, nicknames)
    if len(text) > MAX_ITEM_CHARS + _REQUEST_ROOM or is_command(text) or match_withdrawal(turn) is not None:
        return []
    speaker = _Speaker(turn, name or turn.name, zone, addressees, bots, called=called)
    message = read(text)
    untrue = message.joking or takes_back(message.folded.text)
    to_others = bots is not None and bool(addressees) and not addressees & bots
    proposals: list[Proposal] = []
    for place, sentence in enumerate(message.sentences):
        request = None if message.openly_joking else _request(message, place, speaker)
        if request is not None and to_others:
            break
        if request is not None:
            asked_for, consumes_all = request
            proposals += asked_for
            if consumes_all:
                break
        elif len(text) <= MAX_STATEMENT_CHARS and not untrue and not _COPIED.match(message.folded.text):
            proposals += _whole(message, sentence, speaker) or _statements(message, sentence, speaker)
    return list({(it.kind, it.content): it for it in proposals}.values())


class _Speaker:
    """The speaker of a turn, as the wording needs it.

    ``to_bot``: what is said to somebody is said to the bot: in a private chat, or where a group message begins by
    naming it. ``alone``: the message begins by naming nobody else, so that a sentence without a 我 is the speaker's
    own.
    """

    def __init__(
        self,
        turn: Turn,
        name: str,
        zone: tzinfo | None,
        addressees: frozenset[str],
        bots: frozenset[str] | None,
        *,
        called: bool,
    ) -> None:
        self.turn = turn
        self.name = name
        self.zone = zone
        self.who = person(name, turn.account)
        to_bots = bool(addressees) and (bots is None or bool(addressees & bots))
        self.to_bot = to_bots or called or ":private:" in turn.session_key
        self.alone = not addressees or (bots is not None and addressees <= bots)


def _without_addressees(text: str, turn: Turn) -> tuple[str, frozenset[str]]:
    """``text`` without the @names that it begins with, and the accounts they name: to whom it is said."""
    accounts = {name.strip(): account for account, name in turn.mentions if name.strip()}
    known = "|".join(re.escape(name) for name in sorted(accounts, key=len, reverse=True))
    # 全体成员 is nobody: what is said to all is not said to one.
    all_but = "(?!全[体體]成[员員])"
    mention = re.compile(
        rf"\s*@(?:(?P<name>{known})\s*|{all_but}\S{{1,40}}\s+)" if known else rf"\s*@{all_but}(?P<name>\S{{1,40}})\s+"
    )
    addressees: set[str] = set()
    while (match := mention.match(text)) is not None:
        text = text[match.end() :]
        addressees.add(accounts.get(match["name"] or "", ""))
    return text, frozenset(addressees - {""})


def _without_nickname(text: str, nicknames: frozenset[str]) -> tuple[str, bool]:
    """``text`` without the bot's name before it, and whether it stood there: 小忆，…, or 小忆 and what one says to
    somebody. 小忆是我的猫 speaks of it."""
    for nickname in sorted(nicknames, key=len, reverse=True):
        begin = re.sub(r"^\s*(?:(?:hi|hello|hey|嗨|喂|哈喽)[\s,，]*)?@?", "", text, flags=re.IGNORECASE)
        if nickname and begin.casefold().startswith(nickname.casefold()):
            rest = begin[len(nickname) :]
            if _SAID_TO.match(fold(rest[:20])):
                return rest.lstrip(" ,，:：、~～!！。."), True
    return text, False


def _request(message: Message, place: int, speaker: _Speaker) -> tuple[list[Proposal], bool] | None:
    """What a sentence asks to remember, and whether the rest of the message belongs to it; None if it asks nothing.

    ``记住：`` (a colon, or nothing more on its line) is about all that follows, ``记住…`` about its own sentence.
    """
    folded = message.folded
    sentence = message.sentences[place]
    for clause in sentence.clauses:
        match = REQUEST.match(folded.text, clause.start, sentence.end) or REQUEST_EN.match(
            folded.text, clause.start, sentence.end
        )
        if match is None or clause.unreal:
            continue
        groups = match.groupdict()
        rest = ":" in (groups.get("sep") or "") or not folded.text[match.end() : sentence.end].strip()
        end = message.sentences[-1].end if rest else sentence.end
        asks = message.sentences[-1].asks if rest else sentence.asks
        span = content_of(folded, match.end(), end, asked=bool(groups.get("ask")), asks=asks)
        if span is None:
            return [], rest
        turn = speaker.turn
        content = folded.wording(*span).strip()
        if len(content) > MAX_ITEM_CHARS:
            return [], rest
        proposal = explicit_proposal(
            content,
            account=turn.account,
            name=speaker.name,
            mentions={name: account for account, name in turn.mentions},
            said_at=turn.said_at,
            zone=speaker.zone,
            reminder=bool(groups.get("forget") or groups.get("todo")),
            evidence=(turn.n,),
        )
        return [proposal], rest
    return None


def _whole(message: Message, sentence: Sentence, speaker: _Speaker) -> list[Proposal]:
    """What the sentence says as one: a decision, a procedure, a warning, in words with commas."""
    for place, clause in enumerate(sentence.clauses):
        if any(later.doubtful for later in sentence.clauses[place:]):
            continue
        for rule in SENTENCE_RULES:
            found = _apply(rule, message, clause.start, sentence.end, speaker)
            if found is not None:
                return [found]
    return []


def _statements(message: Message, sentence: Sentence, speaker: _Speaker) -> list[Proposal]:
    proposals: list[Proposal] = []
    begins = sentence is message.sentences[0]
    own = False  # whether the clause before was plainly about the speaker
    for clause in sentence.clauses:
        words = message.folded.text[clause.start : clause.end].strip()
        if LEAD.fullmatch(words):
            continue
        if not clause.doubtful:
            bare = speaker.alone and (own or begins)
            proposals += _statement(message, clause, speaker, bare=bare or bool(_SELF.match(words)))
        own = bool(_OWN.match(words)) and not clause.unreal
        begins = False
    return proposals


def _statement(message: Message, clause: Clause, speaker: _Speaker, *, bare: bool) -> list[Proposal]:
    for rule in CLAUSE_RULES:
        if (rule.bare and not bare) or (rule.to_bot and not speaker.to_bot):
            continue
        found = _apply(rule, message, clause.start, clause.end, speaker)
        if found is not None:
            return [found]
    return []


def _apply(rule: Rule, message: Message, start: int, end: int, speaker: _Speaker) -> Proposal | None:
    filled = fill(rule, message.folded, start, end, speaker.who)
    if filled is None or find_secret(filled.content) or against_the_prompt(filled.content):
        return None
    dated = _dated(rule, filled, speaker)
    if dated is None:
        return None
    content, due = dated
    shared = rule.common or rule.kind in GLOBAL_SCOPED_KINDS
    return Proposal(
        kind=rule.kind,
        content=content,
        subject="" if shared else speaker.turn.account,
        key=filled.key,
        confidence=RULE_CONFIDENCE,
        importance=rule.importance,
        valid_until=due if rule.kind == "task" else None,
        evidence=(speaker.turn.n,),
        origin="rule",
    )


def _dated(rule: Rule, filled: Filled, speaker: _Speaker) -> tuple[str, datetime | None] | None:
    """The content with its days as dates, and when it is due; None if a day that it needs has passed or is none."""
    zone = speaker.zone
    if not rule.dates or zone is None:
        return filled.content, None
    said_at = speaker.turn.said_at
    number = speaker.who
    # The speaker's name may read like a day.
    before, found, after = filled.content.partition(number)
    begins = found and not before.strip()
    text, due = resolve(after if begins else before, said_at, zone, loosely=rule.dates == "due")
    if rule.dates == "due" and (due is None or due <= said_at):
        return None
    return (before + found + text if begins else text + found + after), due
