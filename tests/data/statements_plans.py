"""To-dos, plans and reminders with their days, and what a chat agrees on: decisions, procedures, warnings."""

from __future__ import annotations

BOTH = """
# todo task n=15 until={day} : {todo}
@ 你最近忙啥
% 加油
我{day}要{todo}
我{day}得{todo}
{day}要{todo}
我要在{day}之前{todo}
{day}之前必须{todo} 不然要被骂
<?> {todo}是{day}截止吧 我还一个字没动
<?> 救命 {day}就得{todo}了 我材料还没影

# midnight task n=2 until={tomorrow} : {todo}
<time=23:59> {tomorrow}要{todo}
<time=23:59> 我{tomorrow}得{todo} 差点忘了

# plan task n=10 until={day} : {trip}
% 玩得开心
% 带特产
我{day}去{trip}
我{day}要去{trip}出差
我打算{day}去{trip}
{day}去{trip}玩 票都买好了
<?> {trip}的票抢到了 {day}出发！

# remind task n=7 in=private until={day} : {todo}
{day}提醒我{todo}
记住我{day}要{todo}
帮我记一下{day}要{todo}
别忘了{day}{todo}
记得{day}{todo}
记一下，{day}{todo}
<?> {todo}的事{day}叫我一声

# starting fact n=3 from={day} : {newjob}
我{day}入职{newjob}
我{day}开始去{newjob}上班
<?> 离职手续办完了 {day}去{newjob}报到

# note fact n=7 of=* : {note}
记住：{note}
记一下，{note}
帮我记住{note}
记住{note}

# group_todo task n=4 of=* in=group until={day} : {group_todo}
大家{day}之前把{group_todo}
{@all}{day}前记得把{group_todo}
<?> {group_todo}这事还差五个人 {day}截止 别让我一个个私

# decision decision n=11 in=group : {decision}
@ 所以到底怎么说
% 收到
% 没意见
我们决定{decision}
那我们就定了，{decision}
大家商量好了 {decision}
咱们说好了{decision}
投票结果出来了，{decision}
<?> 行 没人反对的话就这样了啊 {decision}
<?> 8票对3票 {decision} 散会

# from_now_on decision n=5 in=group : {norm}
以后{norm}
今后我们{norm}
<?> 从这周开始{norm} 群公告我改了

# procedure procedure n=8 in=group : {howto}
@ 这个流程是啥来着
% 收藏了
<?> {howto}
流程是这样的：{howto}
步骤：{howto}
<?> 又有人问 我再发一遍啊 {howto}

# warning warning n=9 in=group : {warning}
% 还好你说了
% 差点踩坑
注意{warning}
{warning} 切记
千万{warning}
大家注意一下，{warning}
<?> 血的教训 {warning}
"""

DEV = """
# todo task n=15 until={day} : {todo}
{day}我得去{todo}
我{day}还要{todo}呢 先不玩了
<en,day=en> I need to {todo_en} {day} || {todo_en}
<voice> 我想起来了我{day}还得去{todo}差点给忘了
<typo> 我{day}要去{todo}的说 千万别网了

# midnight task n=2 until={tomorrow} : {todo}
<time=23:59> {tomorrow}要{todo}
<time=23:59> 我{tomorrow}得{todo} 差点忘了

# plan task n=10 until={day} : {trip}
{day}出发去{trip}
<en,day=en> I'm flying to {trip_en} {day} || {trip_en}
<voice> 我{day}的时候要去一趟{trip}大概两三天吧

# remind task n=7 in=private until={day} : {todo}
请提醒我{day}{todo}
<en,day=en> remember to {todo_en} {day} || {todo_en}

# starting fact n=3 from={day} : {newjob}
我找到工作了 {day}去{newjob}上班

# note fact n=7 of=* : {note}
小忆记住{note}
请记住，{note}

# decision decision n=11 in=group : {decision}
我们讨论完了 最后决定{decision}
<?> 定了定了 {decision}
<?> 那少数服从多数咯 {decision}

# from_now_on decision n=5 in=group : {norm}
以后咱们{norm}
大家以后{norm}

# procedure procedure n=8 in=group : {howto}
正确姿势是{howto}
<?> 你这顺序不对 应该{howto}

# warning warning n=9 in=group : {warning}
提醒一下各位 {warning}
<?> 别问我怎么知道的 总之{warning}

# summary summary n=2 in=group : {summary}
总结一下今天讨论的：{summary}
"""
