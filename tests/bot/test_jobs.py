"""What runs on the clock: how the jobs are registered, what they do, and that none of them can fail loudly."""

from __future__ import annotations

import logging
import pickle
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from apscheduler.job import Job
from apscheduler.jobstores.base import BaseJobStore, ConflictingIdError
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.util import obj_to_ref, ref_to_obj

from nonebot_plugin_scoped_memory import api, texts
from nonebot_plugin_scoped_memory.bot import jobs
from nonebot_plugin_scoped_memory.engine.engine import MemoryEngine
from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError, StoreError
from nonebot_plugin_scoped_memory.engine.llm import Completion, Message
from nonebot_plugin_scoped_memory.engine.models import NewItem, NewTurn, TurnState
from nonebot_plugin_scoped_memory.engine.scope import home_scope

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


class FileJobStore(BaseJobStore):
    """Jobs that outlive the process, each pickled into a file of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def _file(self, job_id: str) -> Path:
        return self.folder / f"{job_id}.job"

    def lookup_job(self, job_id: str) -> Any:
        if not self._file(job_id).exists():
            return None
        job = Job.__new__(Job)
        job.__setstate__(pickle.loads(self._file(job_id).read_bytes()))
        job._scheduler, job._jobstore_alias = self._scheduler, self._alias  # pyright: ignore[reportAttributeAccessIssue]
        return job

    def get_all_jobs(self) -> Any:
        return [job for file in sorted(self.folder.glob("*.job")) if (job := self.lookup_job(file.stem)) is not None]

    def get_due_jobs(self, now: datetime) -> Any:
        return [job for job in self.get_all_jobs() if job.next_run_time <= now]

    def get_next_run_time(self) -> Any:
        return min((job.next_run_time for job in self.get_all_jobs()), default=None)

    def add_job(self, job: Job) -> None:
        if self._file(job.id).exists():
            raise ConflictingIdError(job.id)
        self.update_job(job)

    def update_job(self, job: Job) -> None:
        self._file(job.id).write_bytes(pickle.dumps(job.__getstate__()))

    def remove_job(self, job_id: str) -> None:
        self._file(job_id).unlink()

    def remove_all_jobs(self) -> None:
        for file in self.folder.glob("*.job"):
            file.unlink()


def test_two_starts_leave_one_job_of_each(scheduler: BackgroundScheduler) -> None:
    jobs.schedule(scheduler)
    jobs.schedule(scheduler)
    known = {job.id: job for job in scheduler.get_jobs()}
    assert set(known) == {f"{jobs.PREFIX}.{name}" for name in ("extract", "embed", "expire", "dream", "tidy")}
    assert known[f"{jobs.PREFIX}.extract"].func is jobs.extract_quiet_chats
    assert known[f"{jobs.PREFIX}.embed"].func is jobs.refresh_embeddings
    for job in known.values():
        assert (job.max_instances, job.coalesce, job.misfire_grace_time) == (1, True, None)
        assert job.id.endswith(".tidy") or job.trigger.interval <= timedelta(hours=1)
    dream = known[f"{jobs.PREFIX}.dream"]
    assert dream.func is jobs.sweep_dreams
    assert dream.trigger.interval == timedelta(hours=1)
    assert timedelta(0) < dream.next_run_time - datetime.now(timezone.utc) <= jobs.FIRST_DREAM


def test_two_starts_on_a_job_store_that_lasts_leave_one_job_of_each(tmp_path: Path) -> None:
    for every in (60.0, 30.0, 90.0):
        store = FileJobStore(tmp_path)
        scheduler = BackgroundScheduler(timezone=timezone.utc, jobstores={"default": store})
        scheduler.start(paused=True)
        jobs.schedule(scheduler, dream_every=every)
        known = {job.id: job for job in scheduler.get_jobs()}
        assert len(scheduler.get_jobs()) == len(known) == 5
        assert known[f"{jobs.PREFIX}.dream"].trigger.interval == timedelta(minutes=every)
        scheduler.shutdown()


JOBS = [jobs.extract_quiet_chats, jobs.refresh_embeddings, jobs.sweep_dreams, jobs.expire_items, jobs.tidy_database]


@pytest.mark.parametrize("job", JOBS)
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
    [
        (jobs.extract_quiet_chats, "extract", "extract_quiet"),
        (jobs.refresh_embeddings, "embed", "embed_items_all_scopes"),
        (jobs.sweep_dreams, "dream", "sweep_dreams"),
        (jobs.expire_items, "expire", "expire_items"),
        (jobs.tidy_database, "tidy", "tidy"),
    ],
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
    for job in JOBS:
        await job()
    assert caplog.records == []


async def test_the_sweep_dreams_of_what_is_due_and_the_other_one_ends_what_has_ended(running: Running) -> None:
    for n in range(4):
        await running.say(QUIET, f"话题{n}")
    await running.say(LIVELY, "今晚吃什么")
    until = running.clock.now + timedelta(minutes=1)
    await running.engine.add_items([NewItem(home_scope(QUIET), "task", "交报告", valid_until=until)])
    running.clock.now += timedelta(minutes=10)
    await jobs.sweep_dreams()
    (run,) = await running.engine.dream_runs()
    assert (run.session_key, run.status) == (QUIET, "done")
    await jobs.expire_items()
    assert await running.engine.list_items(read=[home_scope(QUIET)]) == []


async def test_chats_that_are_switched_off_are_left_alone(running: Running) -> None:
    await running.say(QUIET, "我最近报了个吉他班")
    await running.engine.set_chat_setting(QUIET, "memory", "off", by="qq:user:10001")
    running.clock.now += jobs.QUIET_FOR
    await jobs.extract_quiet_chats()
    assert running.model.shown == []
    await running.engine.set_chat_setting(QUIET, "memory", "on", by="qq:user:10001")
    await jobs.extract_quiet_chats()
    assert len(running.model.shown) == 1
