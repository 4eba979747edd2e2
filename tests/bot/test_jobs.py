"""What runs on the clock: how the jobs are registered, what they do, and that none of them can fail loudly."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone

import pytest
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.util import obj_to_ref, ref_to_obj

from nonebot_plugin_scoped_memory import api, texts
from nonebot_plugin_scoped_memory.bot import jobs
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError, StoreError
from nonebot_plugin_scoped_memory.engine.llm import Completion, Message
from nonebot_plugin_scoped_memory.engine.models import NewTurn, TurnState

QUIET, LIVELY = "qq:private:10001", "qq:group:20001"


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 4, 0, tzinfo=timezone.utc)

    def __call__(self) -> datetime:
        return self.now


class Model:
    """A chat model that finds nothing, and remembers what it was shown. ``error`` is raised instead, if set."""

    name = "counting"

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.error: Exception | None = None

    async def complete(self, messages: Sequence[Message], **_: object) -> Completion:
        self.shown.append("\n".join(message["content"] for message in messages))
        if self.error is not None:
            raise self.error
        return Completion('{"items": []}', 10, 5, estimated=False)

    async def close(self) -> None:
        pass


class Running:
    """An engine that the jobs find, on a clock of its own."""

    def __init__(self, engine: MemoryEngine, clock: Clock, model: Model) -> None:
        self.engine = engine
        self.clock = clock
        self.model = model

    async def say(self, session: str, text: str) -> None:
        turn = NewTurn("user", text, self.clock(), account="qq:user:10001", name="小明", state=TurnState.ORDINARY)
        await self.engine.listener.record("default", session, turn)


@asynccontextmanager
async def opened() -> AsyncIterator[Running]:
    clock, model = Clock(), Model()
    async with MemoryEngine.open("sqlite://", llm=model, clock=clock) as engine:
        api.use_engine(engine)
        try:
            yield Running(engine, clock, model)
        finally:
            api.use_engine(None)


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    async with opened() as running:
        yield running


@pytest.fixture
def scheduler() -> Iterator[BackgroundScheduler]:
    scheduler = BackgroundScheduler(timezone=timezone.utc)
    scheduler.start(paused=True)
    yield scheduler
    scheduler.shutdown()


def test_two_starts_leave_one_job_of_each(scheduler: BackgroundScheduler) -> None:
    jobs.schedule(scheduler)
    jobs.schedule(scheduler)
    known = {job.id: job for job in scheduler.get_jobs()}
    assert set(known) == {f"{jobs.PREFIX}.extract", f"{jobs.PREFIX}.embed"}
    assert known[f"{jobs.PREFIX}.extract"].func is jobs.extract_quiet_chats
    assert known[f"{jobs.PREFIX}.embed"].func is jobs.refresh_embeddings
    for job in known.values():
        assert (job.max_instances, job.coalesce, job.misfire_grace_time) == (1, True, None)
        assert job.trigger.interval <= timedelta(minutes=10)


@pytest.mark.parametrize("job", [jobs.extract_quiet_chats, jobs.refresh_embeddings])
def test_jobs_are_found_by_reference(job: object) -> None:
    # A job store on disk keeps the reference only.
    reference = obj_to_ref(job)
    assert reference == f"nonebot_plugin_scoped_memory.bot.jobs:{job.__name__}"  # pyright: ignore[reportAttributeAccessIssue]
    assert ref_to_obj(reference) is job


async def test_a_quiet_chat_is_extracted_and_a_lively_one_is_not(running: Running) -> None:
    await running.say(QUIET, "我最近报了个吉他班")
    await running.say(LIVELY, "今晚吃什么")
    running.clock.now += jobs.QUIET_FOR - timedelta(seconds=1)
    await jobs.extract_quiet_chats()
    assert running.model.shown == []
    await running.say(LIVELY, "火锅吧")
    running.clock.now += timedelta(seconds=1)
    await jobs.extract_quiet_chats()
    assert ["吉他" in text for text in running.model.shown] == [True]
    assert "今晚吃什么" not in running.model.shown[0]
    # Once is enough, and the lively chat's time comes too.
    running.clock.now += jobs.QUIET_FOR
    await jobs.extract_quiet_chats()
    await jobs.extract_quiet_chats()
    assert ["今晚吃什么" in text and "火锅吧" in text for text in running.model.shown] == [False, True]


async def test_chats_do_not_share_a_call(running: Running) -> None:
    for user in range(10001, 10006):
        await running.say(f"qq:private:{user}", f"我是{user}号")
    running.clock.now += jobs.QUIET_FOR
    await jobs.extract_quiet_chats()
    assert len(running.model.shown) == 5
    for text in running.model.shown:
        assert sum(f"我是{user}号" in text for user in range(10001, 10006)) == 1


async def test_a_failed_call_is_tried_again_later_with_the_same_turns(running: Running) -> None:
    await running.say(QUIET, "我最近报了个吉他班")
    running.clock.now += jobs.QUIET_FOR
    running.model.error = ProviderDownError("extract", "internal error", 500)
    await jobs.extract_quiet_chats()
    await jobs.extract_quiet_chats()
    assert len(running.model.shown) == 1
    running.model.error = None
    running.clock.now += timedelta(hours=1)
    await jobs.extract_quiet_chats()
    assert "吉他" in running.model.shown[-1]
    assert len(running.model.shown) == 2


@pytest.mark.parametrize("error", [StoreError("sqlite:///x", "disk full"), RuntimeError("a bug")])
@pytest.mark.parametrize(
    ("job", "name", "part"),
    [(jobs.extract_quiet_chats, "extract", "extract_quiet"), (jobs.refresh_embeddings, "embed", "refresh_embeddings")],
)
async def test_failures_are_logged_and_not_raised(
    running: Running,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    job,
    name: str,
    part: str,
    error: Exception,
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(running.engine.listener if name == "extract" else running.engine, part, fail)
    await job()
    (line,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.getMessage().startswith(texts.LOG_JOB_FAILED.format(job=name))


async def test_without_an_engine_jobs_do_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert api.engine() is None
    await jobs.extract_quiet_chats()
    await jobs.refresh_embeddings()
    assert caplog.records == []


async def test_chats_that_are_switched_off_are_left_alone(running: Running) -> None:
    await running.say(QUIET, "我最近报了个吉他班")
    await running.engine.set_chat_setting(QUIET, "memory", "off", by="qq:user:10001")
    running.clock.now += jobs.QUIET_FOR
    await jobs.extract_quiet_chats()
    assert running.model.shown == []
    await running.engine.set_chat_setting(QUIET, "memory", "on", by="qq:user:10001")
    await jobs.extract_quiet_chats()
    assert len(running.model.shown) == 1
