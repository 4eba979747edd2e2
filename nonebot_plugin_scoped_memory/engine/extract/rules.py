"""What is learnt at once and without a model. Few rules and precise ones: a wrong memory is worse than none."""

from __future__ import annotations

import re
from datetime import date, tzinfo

from ..models import MAX_ITEM_CHARS, Kind, Proposal, Turn, TurnState
from ..text import clean, person
from .clauses import Clause, Message, Sentence, is_command, read
from .dates import resolve_days
from .explicit import REQUEST, REQUEST_EN, content_of, explicit_proposal
from .matching import fill
from .rule_table import RULES
from .secrets import find_secret

__all__ = ["MAX_STATEMENT_CHARS", "RULE_CONFIDENCE", "explicit_proposal", "match_rules"]

MAX_STATEMENT_CHARS = 500
"""In a longer message only a request to remember counts: essays, logs and copied text are not about their sender."""

RULE_CONFIDENCE = 0.9

_REQUEST_ROOM = 100  # characters that a request may take beside the content it is about


def match_rules(
    turn: Turn, *, name: str = "", zone: tzinfo | None = None, bots: frozenset[str] | None = None
) -> list[Proposal]:
    """What ``turn`` says plainly of its speaker, what it decides, and what it asks to remember.

    ``name`` is how the speaker is called, the turn's own name if empty. With ``zone``, 明天 and the like become dates
    of that time zone; with ``bots``, a request that begins by naming members only is theirs to remember. Only the
    speaker's own words count, never quotes. Nothing comes of a bot's or tool's turn, of a turn that is not ordinary or
    does not stand, of an anonymous speaker, and of a bot command. Never raises.

    A secret is left out, except where the person asked to remember it: then the checks refuse it with a reason.
    """
    if turn.role != "user" or turn.state is not TurnState.ORDINARY or not turn.stands or not turn.account:
        return []
    text, addressees = _without_addressees(clean(turn.text), turn)
    if len(text) > MAX_ITEM_CHARS + _REQUEST_ROOM or is_command(text):
        return []
    speaker = _Speaker(turn, name or turn.name, zone)
    message = read(text)
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
        elif len(text) <= MAX_STATEMENT_CHARS and not message.joking:
            proposals += _decisions(message, sentence, speaker) or _statements(message, sentence, speaker)
    return list({(it.kind, it.content): it for it in proposals}.values())


class _Speaker:
    """The speaker of a turn, as the wording needs it."""

    def __init__(self, turn: Turn, name: str, zone: tzinfo | None) -> None:
        self.turn = turn
        self.name = name
        self.zone = zone
        self.who = person(name, turn.account)

    @property
    def said_on(self) -> date | None:
        return self.turn.said_at.astimezone(self.zone).date() if self.zone else None


def _without_addressees(text: str, turn: Turn) -> tuple[str, frozenset[str]]:
    """``text`` without the @names that it begins with, and the accounts they name: to whom it is said."""
    accounts = {name.strip(): account for account, name in turn.mentions if name.strip()}
    known = "|".join(re.escape(name) for name in sorted(accounts, key=len, reverse=True))
    mention = re.compile(rf"\s*@(?:(?P<name>{known})\s*|\S{{1,40}}\s+)" if known else r"\s*@(?P<name>\S{1,40})\s+")
    addressees: set[str] = set()
    while (match := mention.match(text)) is not None:
        text = text[match.end() :]
        addressees.add(accounts.get(match["name"] or "", ""))
    return text, frozenset(addressees - {""})


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


def _decisions(message: Message, sentence: Sentence, speaker: _Speaker) -> list[Proposal]:
    for place, clause in enumerate(sentence.clauses):
        if any(later.doubtful for later in sentence.clauses[place:]):
            continue
        for rule in RULES:
            if rule.over == "sentence":
                content = fill(rule, message.folded, clause.start, sentence.end, speaker.who)
                if content is not None:
                    if speaker.said_on is not None:
                        content, _ = resolve_days(content, speaker.said_on)
                    return _proposals(rule.kind, content, "", rule.key, rule.importance, speaker)
    return []


def _statements(message: Message, sentence: Sentence, speaker: _Speaker) -> list[Proposal]:
    return [proposal for clause in sentence.clauses for proposal in _statement(message, clause, speaker)]


def _statement(message: Message, clause: Clause, speaker: _Speaker) -> list[Proposal]:
    if clause.doubtful:
        return []
    for rule in RULES:
        if rule.over == "clause":
            content = fill(rule, message.folded, clause.start, clause.end, speaker.who)
            if content is not None:
                return _proposals(rule.kind, content, speaker.turn.account, rule.key, rule.importance, speaker)
    return []


def _proposals(
    kind: Kind, content: str, subject: str, key: str | None, importance: float, speaker: _Speaker
) -> list[Proposal]:
    if find_secret(content):
        return []
    return [
        Proposal(
            kind=kind,
            content=content,
            subject=subject,
            key=key,
            confidence=RULE_CONFIDENCE,
            importance=importance,
            evidence=(speaker.turn.n,),
            origin="rule",
        )
    ]
