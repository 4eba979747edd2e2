"""Runs a bot with the memory plugin; ``bot.py demo`` plays a scripted chat against one."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the bot as ``.env`` says."""
    import nonebot
    from nonebot.adapters.onebot.v11 import Adapter

    nonebot.init()
    nonebot.get_driver().register_adapter(Adapter)
    nonebot.load_plugin("nonebot_plugin_scoped_memory")
    nonebot.run()


if __name__ == "__main__":
    if sys.argv[1:] == ["demo"]:
        from demo import main

        sys.exit(main())
    elif sys.argv[1:]:
        sys.exit("用法：bot.py [demo]")
    else:
        run()
