"""What every proposal must pass before it becomes an item, whoever made it.

``check`` is pure, so that it can run again inside the transaction that commits, on the turns as they stand then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..models import MAX_ITEM_CHARS, Origin, Proposal, Turn, TurnState
from ..scope import GLOBAL_SCOPED_KINDS
from ..text import fold, person, shown_name
from .numbers import invents_number
from .reported import is_retold, of_others
from .secrets import find_secret, private_contact
from .wording import report

REPORT_CONFIDENCE = 0.5
"""The most that somebody else's word about a person is worth."""

_READ_FROM_CHAT: frozenset[Origin] = frozenset({"rule", "llm", "dream"})
_WRITTEN_BY_MODEL: frozenset[Origin] = frozenset({"llm", "dream"})

_ACCOUNT_NUMBER = re.compile(r"（(\d{5,})）")
_SOMEONE_ELSE = re.compile(
    r"[他她它]|妈|媽|爸|爷|爺|奶奶|外公|外婆|哥|姐|弟|妹|叔|姑|姨|舅|老公|老婆|女友|男友|对象|朋友|"
    r"同学|同學|同事|老师|老師|老板|室友|客户"
)

# Words that only agree with what somebody else said.
_ASSENT = re.compile(
    r"(?:[\s,.。!！~，]|嗯+|对+|是+|好+|行|可以|没错|的|呀|啊|哦|了|吧|哈+|确实|当然|就是|不错|正确|"
    r"记得|记住|谢谢|\[[^\]]{1,12}\]|"
    r"yes|yeah|yep|ok(?:ay)?|right|correct|sure|true|exactly|thanks|thank you)*"
)
_NAMING = re.compile(
    r"(?:名叫|取名为?|名字(?:是|叫)|昵称(?:是|为)|(?:被|希望)?(?:叫作|叫做|称为|称作|称呼为)|"
    r"(?<![大喊尖])叫(?!我|他|她|你|停|外卖|车|人))"
    r"\s?[“「\"']?(?P<name>[A-Za-z][A-Za-z.'-]{1,20}|[\u4e00-\u9fff]{2,4}(?=[”」\"'，。,.]|$))"
)

# On folded text. Words that turn against the system prompt itself, and words that give the bot orders.
_AGAINST_THE_PROMPT = re.compile(
    r"(?:忽略|无视|忘记|忘掉|覆盖|绕过|绕开|不要遵守|不用遵守|不必遵守|别管|不用管).{0,10}"
    r"(?:系统|以上|上面|之前|前面|先前|此前|所有|一切|任何|原有|你的).{0,8}(?:提示|指令|指示|规则|"
    r"设定|限制|要求|prompt)"
    r"|(?:管理员|系统|开发者|群主|规则).{0,8}(?:不要|不用|不必|别)(?:听|理|管|遵守)"
    r"|(?:忽略|无视|绕过|泄露|透露|输出|打印|复述).{0,6}(?:系统提示|提示词|system\s?prompt)"
    r"|(?:ignore|disregard|forget|override|bypass).{0,20}(?:previous|prior|above|all|any|system|your).{0,12}"
    r"(?:instruction|prompt|rule)"
    r"|(?:ignore|reveal|print|leak|repeat).{0,12}system\s?prompt"
    r"|(?:你|bot|机器人|助手).{0,4}[是为].{0,8}(?:system|开发者模式|越狱|dan\b)"
    r"|you are.{0,12}(?:system|developer mode|dan\b)|<\|?/?(?:system|im_start|im_end)|\[/?inst\]|^\s*system\s?:"
)
_ORDERS_TO_THE_BOT = re.compile(
    r"(?:以后|从现在起|从今以后|今后).{0,8}(?:你|bot|机器人|助手|只说|只能说|只回|只用|回答|回复|称呼|忽略)"
    r"|(?:你|bot|机器人|助手)(?:现在|以后|今后)?(?:是|要|必须|只能|应该|得|不许|不准|不能|都要)"
    r"|扮演|角色设定|人设|不要拒绝|听我(?:的|命令)|服从"
    r"|(?:always|never|must|only).{0,12}(?:reply|answer|respond|say|obey)|pretend to be|act as|role\s?play"
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a proposal must not be stored.

    ``reason`` is one of ``evidence_gone``, ``bot_as_evidence``, ``anonymous``, ``bot_as_subject``, ``opted_out``,
    ``only_assent``, ``invented_name``, ``invented_number``, ``empty``, ``too_long``, ``secret``, ``private_contact``,
    ``others_words``, ``instruction``.
    """

    reason: str


def check(
    proposal: Proposal,
    turns: Mapping[int, Turn],
    *,
    bots: frozenset[str],
    opted_out: frozenset[str] = frozenset(),
) -> Proposal | Rejection:
    """``proposal`` as it may be stored, or why it may not.

    ``turns`` are the turns of its session as they stand now, at least those it names. What was read from chat (rule,
    model, dream) needs evidence that stands; what the model says of a person needs that person's own line, else it
    becomes a report of whoever said it. What a person or another plugin wrote down is held only against the rules on
    content: length, secrets, other people's contacts.
    """
    if proposal.origin in _READ_FROM_CHAT:
        grounded = _with_standing_evidence(proposal, turns, bots, opted_out)
        if isinstance(grounded, Rejection):
            return grounded
        proposal = grounded
        if against_the_prompt(proposal.content):
            return Rejection("instruction")
        if proposal.kind in GLOBAL_SCOPED_KINDS and orders_the_bot(proposal.content):
            proposal = replace(proposal, audience="chat")
    reason = _content_problem(proposal, turns)
    return Rejection(reason) if reason else proposal


def against_the_prompt(content: str) -> bool:
    """Whether ``content`` turns against the bot's own instructions: no kind of memory may hold that."""
    return _AGAINST_THE_PROMPT.search(fold(content)) is not None


def orders_the_bot(content: str) -> bool:
    """Whether ``content`` tells the bot how to be: a wish of one person, or of one chat, never of all."""
    return _ORDERS_TO_THE_BOT.search(fold(content)) is not None


def _with_standing_evidence(
    proposal: Proposal, turns: Mapping[int, Turn], bots: frozenset[str], opted_out: frozenset[str]
) -> Proposal | Rejection:
    if proposal.subject in bots:
        return Rejection("bot_as_subject")
    if proposal.subject and proposal.subject in opted_out:
        return Rejection("opted_out")
    numbers = tuple(n for n in proposal.evidence if n in turns and _stands(turns[n], opted_out))
    # A model's sentence may rest on any word of any turn it cites: none of them may have been taken back meanwhile.
    taken_back = proposal.origin in _WRITTEN_BY_MODEL and any(
        n in turns and not turns[n].stands for n in proposal.evidence
    )
    if not numbers or taken_back:
        return Rejection("evidence_gone")
    people = [turns[n] for n in numbers if turns[n].role == "user" and turns[n].account not in bots]
    if not people:
        return Rejection("bot_as_evidence")
    speakers = [turn for turn in people if turn.account]
    if not speakers:
        return Rejection("anonymous")
    # 对 says what somebody else said: the bot, reading from memory, or the question before. A chat may decide so, on
    # what one of its people said.
    personal = proposal.kind not in GLOBAL_SCOPED_KINDS
    only_agrees = all(_ASSENT.fullmatch(fold(turn.text)[:100]) for turn in speakers)
    if proposal.origin in _WRITTEN_BY_MODEL and only_agrees and (personal or len(people) < len(numbers)):
        return Rejection("only_assent")
    proposal = replace(proposal, evidence=numbers)
    if proposal.origin not in _WRITTEN_BY_MODEL:
        return proposal
    if not proposal.content.strip():
        return Rejection("empty")
    if len(proposal.content) > MAX_ITEM_CHARS:
        return Rejection("too_long")
    if invents_name(proposal.content, [turns[n] for n in numbers], _names(turns.values())):
        return Rejection("invented_name")
    if invents_number(proposal.content, [turns[n] for n in numbers], _names(turns.values())):
        return Rejection("invented_number")
    names = {*_names(turns.values()), *(person(turn.name, turn.account) for turn in speakers)}
    if proposal.subject in {turn.account for turn in speakers}:
        cited = [turns[n] for n in numbers if turns[n].account not in bots]
        return (
            Rejection("others_words")
            if personal and of_others(proposal.content, proposal.subject, cited, names)
            else proposal
        )
    return _as_report_if_hearsay(proposal, speakers, names)


def invents_name(content: str, evidence: Sequence[Turn], names: Collection[str] = ()) -> bool:
    """Whether ``content`` says that somebody or something is called what no evidence turn says, nor anyone is called.

    Only what stands after a word of naming and is plainly a whole name is looked at.
    """
    said = fold(
        "\n".join([words for turn in evidence for words in (turn.text, *(quote.text for quote in turn.quotes))])
    )
    known = {fold(name) for name in names} | {fold(name) for turn in evidence for _, name in turn.mentions}
    for match in _NAMING.finditer(content):
        name = fold(match["name"]).strip()
        if name not in said and not any(name in one or (one and one in name) for one in known):
            return True
    return False


def _stands(turn: Turn, opted_out: frozenset[str]) -> bool:
    return turn.stands and turn.state is TurnState.ORDINARY and turn.account not in opted_out


def _as_report_if_hearsay(proposal: Proposal, speakers: Sequence[Turn], names: Collection[str]) -> Proposal:
    """``proposal``, or its words as a report: no subject, no slot, the reporter named.

    Hearsay is a subject who said none of it, and, without a subject, a personal item that names only other people or
    that its speaker only passes on.
    """
    if proposal.kind in GLOBAL_SCOPED_KINDS:
        return replace(proposal, subject="")
    if not proposal.subject:
        named = set(_ACCOUNT_NUMBER.findall(proposal.content))
        of_speakers = named & {turn.account.rsplit(":", 1)[-1] for turn in speakers}
        if of_speakers or (not named and not is_retold(proposal.content, speakers, names)):
            return replace(proposal, key=None)
    reporter = speakers[0]
    return replace(
        proposal,
        subject="",
        key=None,
        content=report(proposal.content, person(reporter.name, reporter.account)),
        confidence=min(proposal.confidence, REPORT_CONFIDENCE),
    )


def _names(turns: Collection[Turn]) -> set[str]:
    """Every name and account number that occurs around ``turns``: what may hold digits without being a figure."""
    people = {
        *((turn.account, turn.name) for turn in turns),
        *(mention for turn in turns for mention in turn.mentions),
        *((quote.account, quote.name) for turn in turns for quote in turn.quotes),
    }
    return {shown_name(name) for _, name in people} | {account.rsplit(":", 1)[-1] for account, _ in people}


def _content_problem(proposal: Proposal, turns: Mapping[int, Turn]) -> str:
    """What is wrong with the content itself; empty if nothing is."""
    if not proposal.content.strip():
        return "empty"
    if len(proposal.content) > MAX_ITEM_CHARS:
        return "too_long"
    if find_secret(proposal.content):
        return "secret"
    content = proposal.content
    for account in {proposal.subject, *(turn.account for turn in turns.values())}:
        number = account.rsplit(":", 1)[-1]
        if len(number) >= 5:  # an account number may look like a phone number
            content = re.sub(rf"(?<!\d){re.escape(number)}(?!\d)", " ", content)
    if private_contact(content) and (not proposal.subject or _SOMEONE_ELSE.search(content)):
        return "private_contact"
    return ""
