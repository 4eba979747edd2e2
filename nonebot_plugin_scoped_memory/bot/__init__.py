"""Everything that touches NoneBot. ``load`` wires it: hooks, matchers, jobs, start and stop."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import nonebot
from nonebot import on_command, on_message
from nonebot.adapters import Bot, Event
from nonebot.adapters.onebot.v11 import Message, MessageEvent
from nonebot.log import LoguruHandler
from nonebot.message import event_postprocessor, event_preprocessor, run_preprocessor
from nonebot.params import Command, CommandArg, Depends
from nonebot.rule import Rule

from .. import api, texts
from ..config import Config, ScopedMemoryConfig
from ..engine.errors import InvalidAddressError
from ..engine.models import utc_now
from .chat import Chat
from .commands import MemoryCommand
from .commands.request import Services
from .lifecycle import Lifecycle
from .onebot import read_message
from .recorder import Recorder, domain_of

COMMAND_PRIORITY = 5
"""Before other plugins' ``memory`` commands, which it blocks."""
CHAT_PRIORITY = 990
"""After everything that may answer."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What ``load`` put together."""

    config: ScopedMemoryConfig
    recorder: Recorder
    lifecycle: Lifecycle


def load() -> Wiring:
    """Register with NoneBot. Called once, when the plugin is loaded."""
    from nonebot_plugin_apscheduler import scheduler
    from nonebot_plugin_localstore import get_plugin_data_file

    _log_through_nonebot()
    driver = nonebot.get_driver()
    config = nonebot.get_plugin_config(Config).scoped_memory
    superusers = frozenset(driver.config.superusers)
    command_start = frozenset(driver.config.command_start)
    recorder = Recorder(
        config, bots=nonebot.get_bots, superusers=superusers, command_start=command_start, clock=utc_now
    )
    lifecycle = Lifecycle(
        config,
        recorder,
        data_file=get_plugin_data_file("memory.db"),
        nicknames=frozenset(driver.config.nickname),
        scheduler=scheduler,
    )
    driver.on_startup(lifecycle.start)
    driver.on_shutdown(lifecycle.stop)

    @event_preprocessor
    async def _(_handling: None = Depends(recorder.handling)) -> None: ...

    run_preprocessor(recorder.matched)
    event_postprocessor(recorder.after)
    Bot.on_calling_api(recorder.calling)
    Bot.on_called_api(recorder.called)

    def read_chat(bot: Bot, event: Event) -> api.CurrentChat | None:
        if not isinstance(event, MessageEvent):
            return None
        try:
            chat = read_message(event, bots=nonebot.get_bots(), superusers=superusers, now=utc_now())
        except InvalidAddressError:
            return None
        heard = recorder.heard(event)
        return api.CurrentChat(
            domain_of(config, bot.self_id),
            chat.session_key,
            chat.account,
            chat.turn.name,
            recalled=heard.recalled if heard is not None else {},
        )

    api.use_reader(read_chat, lambda bot: domain_of(config, bot.self_id), recorder.is_open)
    if config.chat_is_on:
        _load_chat(Chat(config, recorder, lambda: lifecycle.chat_model))
    wiring = Wiring(config, recorder, lifecycle)
    if not config.enabled:
        return wiring
    services = Services(
        config,
        models=lambda: lifecycle.models,
        command_prefix=min(command_start, key=lambda prefix: (prefix != "/", prefix), default=""),
    )
    command = MemoryCommand(recorder, services)
    # 记忆列表 is one command, and 记忆力不好怎么办 is none, also where commands begin with nothing.
    glued = {name + word: word for name in ("memory", texts.COMMAND_ALIAS) for word in texts.SUBCOMMAND_ALIASES}
    memory = on_command(
        "memory",
        aliases={texts.COMMAND_ALIAS, *glued},
        priority=COMMAND_PRIORITY,
        block=True,
        force_whitespace=True,
    )

    @memory.handle()
    async def _(
        bot: Bot,
        event: MessageEvent,
        argument: Message = CommandArg(),  # noqa: B008
        name: tuple[str, ...] = Command(),
    ) -> None:
        await command.handle(bot, event, argument, glued=glued.get(".".join(name), ""))

    return wiring


def _load_chat(chat: Chat) -> None:
    matcher = on_message(rule=Rule(chat.wants), priority=CHAT_PRIORITY, block=False)
    matcher.handle()(chat.answer)


def _log_through_nonebot() -> None:
    """Let this package's lines appear among NoneBot's own; the operator's LOG_LEVEL decides which of them."""
    package = logging.getLogger(__name__.rpartition(".")[0])
    package.setLevel(logging.INFO)
    package.addHandler(LoguruHandler())
