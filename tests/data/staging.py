"""From scenes to dated lines: who plays in which chat on which day, every slot filled, every truth made definite."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from .cast import BOT, Cast, Person
from .days import choose, day_words, english_day_words
from .drawing import Fillers, read_word
from .grammar import SHARED_KINDS, Line, Scene, Truth, read_wording
from .saying import Planted, Said
from .traditional import traditional

DAYS = 30
_SLOT = re.compile(r"\{(@?)([a-z_]+?\d?)\}")
_ROLE = re.compile(r"[a-e]|bot|all")
_PUNCTUATION = re.compile(r"[，。,.!！？~～ ]+")


class Stage:
    """Puts scenes on, one after the other, and keeps what was said and planted."""

    def __init__(
        self, cast: Cast, pool: str, fillers: Fillers, pieces: Mapping[str, Sequence[str]], chance: random.Random
    ) -> None:
        self.cast, self.pool, self.fillers, self.chance = cast, pool, fillers, chance
        self._pieces = pieces
        self.said: list[Said] = []
        self.planted: list[Planted] = []
        self.threads = 0
        self._done: set[tuple[str, str]] = set()
        self._spoken: dict[tuple[str, str], int] = {}

    def play(self, scene: Scene) -> None:
        """Put ``scene`` on somewhere, with what may go around it."""
        session, people = self._cast_of(scene)
        run = _Run(self, scene, session, people)
        run.day = self.chance.randrange(DAYS - sum(part.after[1] for part in scene.parts))
        for part in scene.parts:
            run.day += self.chance.randint(*part.after)
            self.threads += 1
            if scene.openers and self.chance.random() < 0.4:
                run.aside("b", self.chance.choice(scene.openers))
            for line in part.lines:
                run.say(self._decorated(line, people["a"].style) if scene.statement else line)
        if scene.statement and self.chance.random() < 0.55:
            own = scene.reactions if self.chance.random() < 0.5 else ()
            run.aside("c", self.chance.choice(own or self._pieces["reactions"]))
        if run.private and run.lines[-1].role == "a" and self.chance.random() < 0.7:
            run.aside("bot", self.chance.choice(self._pieces["bot_answers"]))

    def chat(self, session: str, day: int, dialogue: Sequence[tuple[str, str]]) -> None:
        """Plain talk among members of ``session``."""
        members = self.cast.members(session)
        people = dict(zip("abcde", self.chance.sample(members, min(5, len(members))), strict=False))
        run = _Run(self, Scene("chatter", (), {}, "both"), session, people)
        run.day = day
        self.threads += 1
        for role, words in dialogue:
            run.aside(role, words)

    def _cast_of(self, scene: Scene) -> tuple[str, dict[str, Person]]:
        """A session and who plays ``a``: who had the least to say so far, of those who can say it."""
        roles = {line.role for part in scene.parts for line in part.lines}
        where = scene.options.get("in") or ("group" if roles & set("bcde") else "both")
        once = scene.options.get("once", "")
        choices = [
            (self._weight(person, session), session, person)
            for session in self.cast.sessions
            for person in self.cast.members(session)
            if where in ("both", "group" if session in self.cast.groups else "private")
            and (not scene.style or person.style == scene.style)
            and (not once or (once, person.account) not in self._done)
        ]
        if not choices:
            raise ValueError(f"nobody is left to say {scene.block}: {scene.parts[0].lines[0].words}")
        _, session, first = min(choices, key=lambda choice: choice[0])
        self._done.add((once, first.account))
        self._spoken[session, first.account] = self._spoken.get((session, first.account), 0) + 1
        members = self.cast.members(session) if session in self.cast.groups else list(self.cast.people)
        others = [person for person in members if person is not first]
        self.chance.shuffle(others)
        return session, {"a": first, **dict(zip("bcde", others, strict=False))}

    def _weight(self, person: Person, session: str) -> float:
        share = 1.0 if session in self.cast.groups else 0.6
        return self._spoken.get((session, person.account), 0) * share + self.chance.random() * 3

    def _decorated(self, line: Line, style: str) -> Line:
        """A plain statement as it really comes: with a filler before or after it, or dictated without a stop."""
        shared = any(truth.kind in SHARED_KINDS for truth in line.truths)
        if line.flags or shared or self.chance.random() < 0.5:
            return line
        if style == "voice":
            words = self.chance.choice(self._pieces["voice_prefixes"]) + _PUNCTUATION.sub("", line.words)
            return replace(line, words=words, flags={"voice": ""})
        if self.chance.random() < 0.45:
            return replace(line, words=self.chance.choice(self._pieces["prefixes"]) + line.words)
        return replace(line, words=line.words + self.chance.choice(self._pieces["suffixes"]))


class _Run:
    """One scene being put on: its people and its words so far."""

    def __init__(self, stage: Stage, scene: Scene, session: str, people: Mapping[str, Person]) -> None:
        self.stage, self.scene, self.session, self.people = stage, scene, session, people
        self.private = session not in stage.cast.groups
        self.day = 0
        self.filled: dict[str, tuple[str, str]] = {}
        self.dates: dict[str, date] = {}
        self.lines: list[Said] = []
        self.labelled: dict[str, Planted] = {}
        self.english = ""

    def say(self, line: Line) -> None:
        tags = [self.scene.block, *(flag for flag, value in line.flags.items() if not value and flag != "?")]
        self.english = line.flags.get("day", "")
        said = self._said(line.role, line.words, tags)
        said.time = line.flags.get("time", "")
        said.command, said.recalled = "command" in line.flags, "recalled" in line.flags
        said.forwarded = tuple((self._fill(who), self._fill(words)) for who, words in line.forwarded)
        if asked := line.flags.get("quote"):
            said.quote = next(one for one in reversed(self.lines) if one.role == asked)
        self._keep(said)
        for truth in line.truths:
            self._plant(truth, said)

    def aside(self, role: str, words: str) -> None:
        if self.private and role not in ("a", "bot"):
            return
        said = self._said(role, words, ["chatter"])
        before = self.lines[-1] if self.lines else None
        if not self.private and before is not None and before.role != role and before.day == said.day:
            # Now and then one answers by quoting, or by name.
            choice = self.stage.chance.random()
            if choice < 0.08:
                said.quote = before
            elif choice < 0.12 and before.person is not None:
                named = before.person.account, before.person.name(self.session, self.day)
                said.words, said.mentions = f"@{named[1]} {said.words}", (*said.mentions, named)
        self._keep(said)

    def _keep(self, said: Said) -> None:
        self.lines.append(said)
        self.stage.said.append(said)

    def _said(self, role: str, words: str, tags: list[str]) -> Said:
        person = self.people.get(role)
        mentions: list[tuple[str, str]] = []
        words = self._fill(words, mentions, person)
        named = tuple(dict.fromkeys(mentions))
        return Said(self.session, self.day, self.stage.threads, person, role, words, tags, mentions=named)

    def _plant(self, truth: Truth, said: Said) -> None:
        if truth.what == "ended":
            self.labelled[truth.label].status = "superseded"
            return
        if truth.what == "withdrawn":
            self.labelled[truth.label].status = "withdrawn"
            return
        own = [one for one in self.lines if one.role == said.role and one.day == said.day]
        planted = Planted(
            truth,
            self.scene,
            self.session,
            self._subject(truth, said),
            read_wording(self._fill(truth.wording, needs=True)),
            [*[one for one in self.lines if one.role == truth.beside][-1:], *own[-truth.lines :]],
            self._date(truth.until),
            self._date(truth.begins),
            self._fill(truth.literal, needs=True),
        )
        if truth.label:
            self.labelled[truth.label] = planted
        self.stage.planted.append(planted)

    def _subject(self, truth: Truth, said: Said) -> str | None:
        if truth.subject in (None, "", "*"):
            return truth.subject
        person = said.person if truth.subject == "speaker" else self.people[truth.subject]
        return person.account if person else ""

    def _date(self, template: str) -> date | None:
        if not template:
            return None
        return self.today if template == "0" else self.dates[template.strip("{}")]

    @property
    def today(self) -> date:
        return self.stage.cast.first_day + timedelta(days=self.day)

    def _fill(
        self,
        text: str,
        mentions: list[tuple[str, str]] | None = None,
        speaker: Person | None = None,
        *,
        needs: bool = False,
    ) -> str:
        """``text`` with its slots filled, in the characters that ``speaker`` writes. Names stay as they are."""
        names: list[str] = []
        for _, slot in _SLOT.findall(text):
            if slot in self.stage.fillers:  # first, since some fill others beside them
                self._slot(slot)

        def filled(match: re.Match[str]) -> str:
            at, slot = match[1], match[2]
            if _ROLE.fullmatch(slot) and slot not in self.stage.fillers:
                account, name = self._named(slot)
                if at and mentions is not None and account:
                    mentions.append((account, name))
                names.append(f"@{name} " if at else name)
                return chr(0xE000 + len(names) - 1)  # private use: no table knows it
            return self._slot(slot)[1 if needs else 0]

        text = _SLOT.sub(filled, text)
        if speaker is not None and speaker.style == "trad":
            text = traditional(text)
        for place, name in enumerate(names):
            text = text.replace(chr(0xE000 + place), name)
        return text

    def _named(self, role: str) -> tuple[str, str]:
        if role == "all":
            return "", "全体成员"
        if role == "bot":
            return BOT
        person = self.people[role]
        return person.account, person.name(self.session, self.day)

    def _slot(self, slot: str) -> tuple[str, str]:
        """(what is said, what a wording must keep)"""
        if slot in self.filled:
            return self.filled[slot]
        if slot == "tomorrow":
            self.dates[slot] = self.today + timedelta(days=1)
            self.filled[slot] = "明天", "明天"
            return self.filled[slot]
        if slot.rstrip("0123456789") == "day":
            return self._day_word(slot)
        if slot in self.people["a"].profile:
            word = read_word(self.people["a"].profile[slot])
        else:
            slot_of = slot if slot in self.stage.fillers else slot.rstrip("0123456789")
            word = self.stage.fillers.take(slot_of, self.stage.cast.groups.get(self.session, ""))
        self.filled[slot] = word.words, word.need
        for beside, value in word.beside.items():
            words, _, need = value.partition("->")
            self.filled[beside] = words, need or words
        return self.filled[slot]

    def _day_word(self, slot: str) -> tuple[str, str]:
        stage, year = self.stage, self.stage.cast.new_year
        own = stage.chance.random() < (0.55 if stage.pool == "report" else 0.4)
        if self.english:
            words = english_day_words(stage.pool if own else "dev", self.today)
        else:
            words = day_words(stage.pool if own else "both", self.today, year)
        earliest = max(self.dates.values(), default=self.today)
        word, day = choose([one for one in words if not self.dates or one[1] > earliest] or words, stage.chance)
        self.dates[slot] = day
        self.filled[slot] = word, word
        return self.filled[slot]
