"""Long-term memory for QQ bots that never crosses from one chat into another.

As a NoneBot plugin it loads its handlers. Imported without a running NoneBot (tests, command line) it gives the engine
alone.
"""

from __future__ import annotations

import nonebot
from nonebot.plugin import PluginMetadata, require

from .api import compose_context, recall, remember
from .config import Config
from .engine.engine import MemoryEngine
from .engine.models import NewItem
from .engine.prompt import ContextPackage
from .engine.scope import ScopeContext, ScopeRef

__plugin_meta__ = PluginMetadata(
    name="聊天记忆",
    description="让机器人记住每个聊天里的人和事，绝不把一个聊天的内容带到另一个聊天",
    usage="/memory 查看帮助；其他插件可以调用 recall、remember、compose_context",
    type="application",
    config=Config,
    supported_adapters={"~onebot.v11"},
)

__all__ = [
    "Config",
    "ContextPackage",
    "MemoryEngine",
    "NewItem",
    "ScopeContext",
    "ScopeRef",
    "compose_context",
    "recall",
    "remember",
]


def _nonebot_is_running() -> bool:
    try:
        nonebot.get_driver()
    except ValueError:
        return False
    return True


if _nonebot_is_running():
    require("nonebot_plugin_apscheduler")
    require("nonebot_plugin_localstore")

    from .bot import load

    _wiring = load()
