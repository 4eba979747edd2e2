"""Every sentence that a chat user or an operator can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine.models import Kind

# turns
TURN_CUT = "……（消息太长，后面的内容没有记录）"
ANONYMOUS = "匿名"
SOMEONE = "某人"
EVERYONE = "全体成员"
ANIMATED = "动画表情"
FORWARD = "合并转发"
UNKNOWN_SEGMENT = "未知消息"
SEGMENT_NAMES = {
    "face": "表情",
    "bface": "表情",
    "sface": "表情",
    "mface": "表情",
    "marketface": "表情",
    "market_face": "表情",
    "image": "图片",
    "cardimage": "图片",
    "record": "语音",
    "video": "视频",
    "file": "文件",
    "onlinefile": "文件",
    "share": "分享",
    "json": "卡片",
    "xml": "卡片",
    "lightapp": "卡片",
    "miniapp": "卡片",
    "location": "位置",
    "music": "音乐",
    "contact": "名片",
    "dice": "骰子",
    "new_dice": "骰子",
    "rps": "猜拳",
    "new_rps": "猜拳",
    "poke": "戳一戳",
    "touch": "戳一戳",
    "shake": "窗口抖动",
    "redbag": "红包",
    "gift": "礼物",
    "forward": FORWARD,
    "node": FORWARD,
    "longmsg": FORWARD,
}
ROCK, SCISSORS, PAPER = "石头", "剪刀", "布"

# chat
CHAT_NOTHING = "……"
CHAT_TIMEOUT = "抱歉，我想得太久了，请稍后再问一次。"
CHAT_BUSY = "抱歉，现在太忙了，请稍后再试。"
CHAT_REFUSED = "抱歉，这个问题我没法回答。"
CHAT_STOPPED = "抱歉，我暂时无法回答，请联系机器人的主人。"
CHAT_FAILED = "抱歉，刚才出了点问题，请稍后再试。"

# commands
COMMAND_ALIAS = "记忆"
HELP = """记忆命令（{prefix}memory 或 {prefix}记忆，如 {prefix}记忆 列表）：
列表 list [种类] [页码]
搜索 search <内容>；--history 搜聊天记录
看 show <编号>  来源和经过
为什么 why  上一次回答用了哪些记忆
记 add [种类] <内容>
改 edit <编号> <内容>
忘记 forget <编号>；错了 wrong <编号>
别记我 optout [everywhere]；记我 optin；静音 mute 2h
新对话 new；开 on / 关 off；状态 status"""
HELP_OPERATOR = """管理员：
审核 review [页码]；批准 approve <编号>；拒绝 reject <编号> [理由]
整理 dream now | runs | show / undo / approve <编号>
重连 retry"""
SUBCOMMAND_ALIASES = {
    "帮助": "help",
    "列表": "list",
    "搜索": "search",
    "看": "show",
    "为什么": "why",
    "记": "add",
    "改": "edit",
    "忘记": "forget",
    "错了": "wrong",
    "别记我": "optout",
    "记我": "optin",
    "静音": "mute",
    "新对话": "new",
    "开": "on",
    "关": "off",
    "状态": "status",
    "审核": "review",
    "批准": "approve",
    "拒绝": "reject",
    "整理": "dream",
    "重连": "retry",
}
UNKNOWN_SUBCOMMAND = "没有“{word}”这个命令。"
KIND_NAMES: dict[Kind, str] = {
    "preference": "喜好",
    "fact": "事实",
    "task": "待办",
    "decision": "决定",
    "procedure": "规程",
    "warning": "警告",
    "summary": "摘要",
}
SCOPE_HERE = "本聊天"
SCOPE_SHARED = "共享"
ITEM_LINE = "[{id}] {kind}·{scope}：{content}"
LIST_HEAD = "这里记住了 {total} 条（第 {page}/{pages} 页）："
LIST_EMPTY = "这里还没有记住任何东西。"
PAGE_MISSING = "没有这一页，一共 {pages} 页。"
PAGE_INVALID = "页码要写成数字，例如：{command} 2"
SEARCH_USAGE = "要搜索什么？例如：search 咖啡"
HISTORY_FLAGS = ("--history", "--历史", "-h")
HISTORY_EMPTY = "没有找到相关的聊天记录。"
HISTORY_HEAD = "找到 {count} 条聊天记录："
HISTORY_LINE = "{at} {name}：{text}"
LIST_EMPTY_KIND = "这里还没有记住{kind}。"
SHOW_USAGE = "要看哪一条？先用 list 看编号，例如：show {example}"
SHOW_HEAD = "[{id}] {kind}·{scope}·{status}：{content}"
SHOW_EVIDENCE = "来源："
SHOW_EVIDENCE_LINE = "- {account}：“{quote}”"
SHOW_SHARED = "来源：经管理员批准的共享知识"
SHOW_NO_EVIDENCE = "来源：用命令写下的"
SHOW_EVENTS = "经过："
SHOW_EVENT_LINE = "- {at} {action}"
SHOW_MORE = "- ……还有 {count} 条"
SHOW_UNTIL = "有效到 {at}"
ITEM_STATUSES = {
    "active": "有效",
    "superseded": "已被新的取代",
    "archived": "已归档",
    "demoted": "已降级",
    "retracted": "已撤回",
}
EVENT_ACTIONS = {
    "added": "记住",
    "evidence_added": "又一次提到",
    "superseded": "被新的取代",
    "edited": "修改",
    "archived": "归档",
    "retracted": "撤回",
    "approved": "批准",
    "rejected": "拒绝",
    "doubted": "有人说不对",
    "restored": "恢复",
}
WHY_NONE = "还没有可以说明的回答。"
WHY_NOTHING_USED = "那次回答没有用到记忆。"
WHY_NOT_AN_ANSWER = "请引用机器人的一条回答。"
WHY_HEAD = "那次回答用到了 {count} 条记忆："
WHY_LINE = "[{id}] {kind}·{scope}（{score} 分）：{content}"
WHY_GONE = "另有 {count} 条现在已经没有了。"
WHY_FOOT = "记错了用 wrong <编号>，不想留着用 forget <编号>。"
EDIT_USAGE = "要怎么改？例如：edit {example} 我喜欢喝茶"
EDIT_DONE = "改好了：{content}（编号 {id}）"
EDIT_DENIED = "只能改自己说的或关于自己的内容。"
EDIT_SAME = "这件事已经记着了（编号 {id}）。"
WRONG_DONE = "知道了，这是错的，不会再用：{content}"
OPTOUT_HERE = "好，从现在起不再从你在这里说的话里记东西。已经记住的还在，可以用 forget 逐条忘记。用 optin 恢复。"
OPTOUT_EVERYWHERE = (
    "好，从现在起在所有聊天里都不再记你说的话。已经记住的还在，可以用 forget 逐条忘记。用 optin everywhere 恢复。"
)
OPTIN_HERE = "好，从现在起会记。之前关闭期间说的话不会补记。"
OPTIN_STILL_OFF = "这里打开了，但你在所有聊天里都关闭了，用 optin everywhere 恢复。"
EVERYWHERE = ("everywhere", "全部", "所有", "all")
LEARNING_USAGE = "写成 {command}（只在这里）或 {command} everywhere（所有聊天）。"
LEARNING_ANONYMOUS = "匿名发言本来就不会被记住。"
SECONDS = {"m": 60, "min": 60, "分": 60, "分钟": 60, "h": 3600, "小时": 3600, "个小时": 3600, "d": 86400, "天": 86400}
MUTE_USAGE = "要停多久？例如：mute 2h、mute 30分钟、mute 1天，最长 30 天"
MUTE_DONE = "好，到 {until} 为止不从你在这里说的话里记东西。"
STATUS_LEARNING_OFF = "你说的话：不记"
SEARCH_HEAD = "找到 {count} 条："
SEARCH_EMPTY = "没有找到相关的记忆。"
ADD_USAGE = "要记住什么？例如：add 我喜欢手冲咖啡"
ADD_DONE = "记住了：{content}（编号 {id}）"
ADD_KNOWN = "这件事已经记着了：{content}（编号 {id}）"
ADD_SHARED = "记住了，所有聊天都会知道：{content}（编号 {id}）"
ADD_WAITING = "其他聊天要等管理员批准（候选编号 {id}）后才会知道。"
ADD_REFUSED = {
    "secret": "这看起来是密码、密钥或证件号之类的内容，不会记住。",
    "private_contact": "这看起来是别人的电话或住址，不会记住。",
    "too_long": "内容太长了，请写短一些。",
    "instruction": "这是给机器人的指令，不是可以记住的内容。",
}
ADD_REFUSED_OTHER = "这句话没有记住。"
ADD_ANONYMOUS = "匿名发言不会被记住。"
ADD_OFF = "记忆是关闭的，没有记住。先用 on 打开。"
TOO_LONG = "内容太长了，最多 {limit} 个字。"
FORGET_USAGE = "要忘记哪一条？先用 list 看编号，例如：{command} {example}"
FORGET_DONE = "忘记了：{content}"
NOT_FOUND = "这里没有编号为 {id} 的记忆。"
FORGET_DENIED = "只能忘记自己说的或关于自己的内容；群里的其他内容请找群管理员。"
FORGET_SHARED_DENIED = "共享的记忆只有机器人的管理员能忘记。"
NEW_DONE = "好，我们重新开始。之前记住的事还在。"
NEW_DENIED = "群里只有群管理员可以开始新的对话。"
NEW_WAITING = "好，我们重新开始。之前的对话还没整理完，稍后会继续整理。"
ON_DONE = "已打开记忆。"
ON_ALREADY = "记忆已经是打开的。"
OFF_DONE = "已关闭记忆：从现在起不记录、不整理、也不会想起任何内容。已经记住的保留着，用 on 重新打开。"
OFF_ALREADY = "记忆已经是关闭的。"
SWITCH_DENIED = "群里只有群管理员可以打开或关闭记忆。"
OPERATOR_ONLY = "这个命令只有机器人的管理员可以用。"
SENT_PRIVATELY = "已私聊发送"
SEND_PRIVATELY_FAILED = "私聊发送失败，请先加好友再试。"
REVIEW_EMPTY = "没有等待批准的内容。"
REVIEW_HEAD = "等待批准 {total} 条（第 {page}/{pages} 页）："
REVIEW_LINE = "[{id}] {kind}：{content}"
REVIEW_FOOT = "用 approve <编号> 批准，批准后所有聊天都会知道这段文字；用 reject <编号> [理由] 拒绝。"
APPROVE_USAGE = "要批准哪一条？例如：approve {example}"
APPROVE_DONE = "已批准，所有聊天都会知道：{content}"
APPROVE_KNOWN = "已批准（同样的内容本来就是共享的）：{content}"
REJECT_USAGE = "要拒绝哪一条？例如：reject {example} 理由"
REJECT_DONE = "已拒绝：{content}"
CANDIDATE_NOT_FOUND = "没有编号为 {id} 的候选在等待批准。"
DREAM_USAGE = "dream now 马上整理这个聊天；dream runs 看最近的整理；dream show / undo / approve <编号>"
DREAM_USAGE_RUN = "要看哪一次？先用 dream runs 看编号，例如：dream {word} {example}"
DREAM_NOT_FOUND = "没有编号为 {id} 的整理，或者它还在进行、已经撤销。"
DREAM_NOTHING_WAITS = "整理 {id} 没有等待批准的改动。"
DREAM_DONE = "整理好了（编号 {id}）：{counts}"
DREAM_FAILED = "没有整理完：{reason}"
DREAM_RUNS_HEAD = "最近的整理："
DREAM_RUNS_EMPTY = "还没有整理过。"
DREAM_RUN_LINE = "[{id}] {at} {session} {status}：{counts}"
DREAM_COUNTS = "改动 {applied} 处，等待批准 {waiting} 处，没有采用 {rejected} 处"
DREAM_STATUSES = {"running": "进行中", "done": "完成", "failed": "没有完成", "undone": "已撤销"}
DREAM_ACTIONS = {
    "add": "新记住",
    "change": "延长",
    "evidence": "补充依据",
    "supersede": "被新的取代",
    "merge": "合并",
    "update": "改写",
    "archive": "归档",
    "expire": "到期",
    "summary": "对话摘要",
}
DREAM_STATES = {
    "applied": "已改",
    "waiting": "等待批准",
    "rejected": "没有采用",
    "skipped": "跳过",
    "undone": "已撤销",
}
DREAM_OPERATION = "{action} {id}：{state}"
DREAM_MORE = "……还有 {count} 处"
DREAM_SHOW_WAITING = "用 dream approve {id} 批准等待的改动。"
DREAM_UNDONE = "已撤销 {count} 处改动。"
DREAM_APPROVED = "已批准 {count} 处改动。"
DREAM_SKIPPED = "跳过 {count} 处，因为后来有了变化："
DREAM_UNDO_CHANGED = "没有撤销：记忆 {id} 后来被改过，先处理它。"
DREAM_UNDO_TAKEN = "没有撤销：记忆 {id} 的位置现在是 {holder}，先处理它。"
DREAM_REASON_OTHER = "模型没有正常回答，原因见日志"
DREAM_REASONS = {
    "nothing": "这个聊天还没有消息",
    "off": "这个聊天的记忆是关闭的",
    "running": "正在整理",
    "retry": "上次失败了，稍后再试",
    "budget": "今天的额度用完了",
    "chat_budget": "这个聊天今天的额度用完了",
    "stopped": "模型已停止调用",
    "interrupted": "中途停止了",
    "says_the_same": "说的是同一件事",
    "ended": "日期已过",
    "refused": "模型拒绝回答",
    "unusable_answer": "模型的回答不能用",
    "not_shown": "不是给它看的记忆",
    "archives_everything": "想归档全部",
    "named_twice": "重复提到",
    "no_reason": "没有理由",
    "no_evidence": "没有依据",
    "not_their_words": "不是本人说的",
    "unrelated": "和依据无关",
    "no_content": "没有内容",
    "malformed": "格式不对",
    "too_many": "太多了",
    "erased": "已经抹除",
    "changed_since": "后来变过",
    "evidence_gone": "依据已被撤回",
    "of_a_person": "是人写下的",
    "asked_for": "是人要求记住的",
    "edited": "被人改过",
    "waits_for_approval": "正在等待批准",
    "same_content": "已有同样的内容",
}
DIGEST = (
    "后台整理：{sessions} 个聊天，改动 {changed} 处，等待批准 {waiting} 处，失败 {failed} 次；"
    "共享记忆等待批准 {reviews} 条"
)
RETRY_DONE = "会重新尝试连接模型。"
RETRY_NO_MODEL = "没有配置模型，只用规则整理记忆。"
MEMORY_UNAVAILABLE = "记忆功能没有启动，请机器人的管理员查看日志。"
COMMAND_FAILED = "出了点问题，这个命令没有执行成功。"
STATUS_ON = "记忆：打开"
STATUS_OFF = "记忆：关闭"
STATUS_ITEMS = "本聊天 {here} 条，共享 {shared} 条"
STATUS_TURNS = "记录的消息 {turns} 条"
STATUS_TURNS_PENDING = "记录的消息 {turns} 条，其中 {pending} 条还没有整理"
STATUS_GROUP = {
    "addressed": "群里只记录对机器人说的话",
    "all": "群里的消息都会记录",
    "off": "群里的消息不记录",
}
STATUS_TOKENS = "今天用了 {spent} / {limit} tokens"
STATUS_BUDGET_SPENT = "今天的额度用完了，只用规则整理，明天恢复"
STATUS_CHAT_BUDGET_SPENT = "这个聊天今天的额度用完了，只用规则整理，明天恢复"
STATUS_MODEL_NONE = "模型：没有配置，只用规则整理"
STATUS_MODEL_OK = "模型：正常"
STATUS_MODEL_STOPPED = "模型：已停止调用（{problem}），每小时试一次，管理员可以用 retry 立即重试"
STATUS_MODEL_FAILING = "模型：最近一次调用没有成功（{problem}），会自动再试"
PROVIDER_PROBLEMS = {
    "ProviderAuthError": "密钥无效或余额不足",
    "ProviderTimeoutError": "没有及时回答",
    "ProviderBusyError": "请求太多",
    "ProviderDownError": "连接不上或服务出错",
}
PROVIDER_PROBLEM_OTHER = "原因见日志"
STATUS_VECTORS_NONE = "向量检索：没有启用，用关键词检索"
STATUS_VECTORS_OK = "向量检索：正常"
STATUS_VECTORS_DOWN = "向量检索：暂时不可用，用关键词检索"
STATUS_REVIEWS = "等待批准 {count} 条"

# log lines for operators
LOG_DISABLED = "记忆已在配置中关闭"
LOG_OPENED = "记忆已打开：{url}"
LOG_STORE_FAILED = "记忆没有启动，机器人照常运行。数据库 {url} 无法使用：{problem}"
LOG_OPEN_FAILED = "记忆没有启动，机器人照常运行：{problem}"
LOG_EMBEDDING_FAILED = "向量检索没有启用，改用关键词检索：{problem}"
LOG_RULES_ONLY = "没有配置 scoped_memory.llm.api_key：只用规则整理记忆，不提供聊天"
LOG_JOB_FAILED = "定时任务 {job} 失败"
LOG_CHAT_STOPPED = "对话模型 %s：%s；停止调用"
LOG_VECTORS_WAIT = "%d 条记忆还没有向量：%s"
LOG_VECTORS_NOT_REFRESHED = "向量暂时不能补齐：%s"
LOG_VECTOR_IMPOSSIBLE = "记忆 %s 算不出向量"
LOG_ADOPTION_FAILED = "%s/%s：上次没处理完的消息没能接着处理：%s"
LOG_EXTRACTION_BROKE = "%s/%s：整理中断：%s"
LOG_REJECTED = "%s/%s：一条候选记忆没有通过：%s"
LOG_TASK_FAILED = "后台任务 %s 失败：%s"
LOG_EXTRACTION_FAILED = "%s/%s：整理失败，稍后再试：%s"
LOG_EMBEDDER_FAILED = "向量模型 %s：%s；先不用向量检索"
LOG_EMBEDDER_BACK = "向量模型 %s 恢复了"
LOG_NO_ANSWER = "%s/%s：没有得到回答：%s"
LOG_NOT_SENT = "%s/%s：回答没有发出去：%s"
LOG_USAGE_LOST = "%s/%s：用量没有记上：%s"
LOG_WITHOUT_MEMORY = "%s/%s：这次回答没有用上记忆：%s"
LOG_NOT_READ_AGAIN = "%s/%s：没能重新读取这条消息：%s"
LOG_NOT_STORED = "%s/%s：一条消息没有存下：%s"
LOG_CLIENT_SLOW = "%s#%d：客户端太久没有回答，合并转发或群名片没有取到"
LOG_API_FAILED = "%s：%s 失败：%s"
LOG_COMMAND_FAILED = "%s/%s：命令 %s 失败：%s"
LOG_NOT_PRIVATE = "%s/%s：私聊没有发出去：%s"
LOG_EVENT_LOST = "一个事件没有记录下来"
LOG_MATCHER_UNREAD = "没能看出一条消息由谁处理"
LOG_NOT_CLASSIFIED = "一条消息没有归类"
LOG_ANSWER_LOST = "一条回答没有记录下来"
LOG_RETRYING = "%s：数据库暂时用不了（%s），%g 秒后再试"
LOG_NO_CHAT = "不属于任何聊天的事件没有记录：%s"
LOG_API_CALL_FAILED = "%s/%s：%s 失败：%s"

CONFIG_PROMPT_UNREADABLE = "提示词文件 {path} 读不出来：要是一个非空的 UTF-8 文本文件"
