"""Statements of the reported set alone."""

from __future__ import annotations

REPORT = """
# name fact key=name n=6 once=name : {name} & 叫|名
@ 你叫啥啊 总不能一直喊网名
我姓名{name}
我大名叫{name}
在下{name}，初来乍到
<en> I'm {name}, nice to meet you all || {name}
<?> 签到表上那个{name}就是我 || {name}

# call preference key=nickname n=6 once=call : {call} & 叫|称呼|喊
喊我{call}吧
请叫我{call}
你直接叫我{call}
<en> you can call me {call}
<?> 一般人都管我叫{call} || {call}

# birthday fact key=birthday n=7 once=birthday : {birthday} & 生日|出生|生
@ 你啥星座的
我的生日就是{birthday}
{birthday}出生
我过{birthday}的生日
<en> my birthday's {birthday}
<voice> 我生日的话是{birthday}那天
<?> {birthday}给我留着啊 那天我过寿

# home fact key=home n=7 once=home : {city} & 住|在|家|定居|搬
@ 你在哪个城市
我一直住在{city}
我定居{city}了
家住{city}
<en> I live in {city}
<voice> 我这边的话现在是在{city}住着呢
<?,typo> 我现再住{city}
<?> 从公司到家一个半小时 {city}就是这么大

# origin fact n=6 once=origin : {origin} & 人|老家|出生|长大
我是{origin}的
地道{origin}人
祖籍{origin}
<?> {origin}娃表示这个辣度是儿童餐 || {origin}

# job fact n=7 once=job : {job} & !不是|以前
@ 你上班都干啥
我职业是{job}
我干{job}这行的
我现在是{job}
<en> I'm a {job}
<?> {job}三年 颈椎已经不属于我了

# study fact n=5 once=study : {major}
我念的是{major}
{major}在读
我研究生读{major}
<?> 学{major}的 毕业等于失业

# language fact key=language n=5 once=lang : {lang} & 写|用|语言
我用{lang}写
工作里基本写{lang}
我主要用的语言是{lang}
<en> my main language is {lang}
<?> 写{lang}写到看见分号就想吐

# tool fact n=6 : {tool} & 用|换
我一直都是用{tool}的
我现在用{tool}
<?> {tool}用户表示毫无波动

# device fact n=5 : {device} & 用|买|换|有|机
我新换的{device}
我现在用的手机是{device}
<?> 这{device}一到零下就自动关机

# pet fact n=7 once=pet : {petname} & {pet}|宠物
我们家{pet}的名字叫{petname}
我养的{pet}叫{petname}
家里有只{pet}，叫{petname}
<en> I have a {pet} named {petname}
<?> {petname}半夜跑酷 把我踩醒三次 养{pet}图啥

# kin fact n=6 once=kin : {kin} & {grade}
我{kin}现在{grade}了
我{kin}读{grade}
<?> 今天家里吵翻了 {grade}的{kin}又把手机摔了

# married fact n=2 once=married : 结婚|已婚|老公|老婆|婚|证
已婚 有娃
<?> 我去年领的证
<?> 我老公又出差了 一个人带娃

# single fact n=1 once=married : 单身|没对象
我没对象

# allergy fact n=7 once=allergy : {allergen} & 过敏|不能吃|不能碰
@ 聚餐有啥忌口报一下
我对{allergen}有点过敏
我是{allergen}过敏体质
本人对{allergen}过敏，请绕开
<en> I'm badly allergic to {allergen_en} || {allergen_en}
<?> 谁给我吃的{allergen} 嘴都肿成香肠了
<?,typo> 我对{allergen}果敏

# diet fact n=5 once=diet : {diet}
我平时{diet}
医生让我{diet}
<?> 你们吃吧 我这辈子算是{diet}了

# health fact n=5 : {illness}
我{illness}十几年了
老毛病{illness}
<?> 一换季我这{illness}就犯

# habit fact n=9 : {habit}
我有个习惯，每天{habit}
我天天都{habit}
雷打不动每天{habit}
<?> 今天没{habit}浑身不得劲
<voice> 我一般的话每天都{habit}的

# skill fact n=4 : {skill}
我学{skill}学了六年
我还挺会{skill}的
<?> 公司年会又让我上去{skill}

# age fact n=4 once=age : {age}
我已经{age}了
今年{age}，谢谢
<?> {age}了还被当成学生查票 || {age}

# mbti fact n=3 once=mbti : {mbti}
<?> 本{mbti}社恐发作

# overseas fact n=2 once=overseas : {abroad}
我常驻{abroad}
<?> {abroad}现在凌晨三点 我为什么还在水群

# like preference n=16 : {liked} & 喜欢|爱|好|馋|粉 & !不喜欢|不太|讨厌|不爱
@ 有什么爱好说来听听
我非常喜欢{liked}
<?> 我可爱{liked}了
我对{liked}完全没有抵抗力
我是真的爱{liked}
一直很喜欢{liked}
<?> 喜欢{thing}+1 我能聊一天 || {thing} & 喜欢
我从小就喜欢{liked}
<en> I'm really into {liked_en} || {liked_en}
<voice> 我就特别喜欢{liked}那种的
<?,typo> 我灰常喜番{liked}
<?> {liked}永远的神 || {liked}
<?> 一天不{act}我就难受 || {act}
<?> 我的命是{liked}给的 || {liked}

# dislike preference n=12 : {hated} & 不喜欢|不太喜欢|讨厌|不爱|不吃|受不了|烦|反感|不好|恨
我非常不喜欢{hated}
我从来不喜欢{hated}
我真的好讨厌{hated}
我特别烦{hated}
{hated}我是真的不喜欢
<en> I really don't like {hated_en} || {hated_en}
<?> {hated}退退退 || {hated}
<?> 谁再跟我提{hated}我跟谁急 || {hated}

# fear preference n=4 : {fear} & 怕|恐
我超怕{fear}
我最害怕{fear}了
<?> 有{fear}的地方我是绝对不会去的 打死都不去

# favourite preference n=7 : {favourite} & {topic}|喜欢|爱
我最喜欢的{topic}还是{favourite}
<?> {topic}里面我只认{favourite}

# hobby preference n=6 : {hobby}
我没事就{hobby}
我业余爱好{hobby}
<?> 老婆本都拿去{hobby}了

# wish preference n=10 in=private : {wish}
往后{wish}
我希望你{wish}
你回我的时候{wish}就好
<en> from now on please {wish_en} || {wish_en}
<?> 太啰嗦了 求你{wish}

# mention_wish preference n=2 in=group : {wish}
{@bot}跟我说话的时候{wish}

# todo task n=15 until={day} : {todo}
最迟{day} 我必须{todo}
我跟人约好了{day}{todo}
我{todo}排在{day}
<en,day=en> can't make it, I've got to {todo_en} {day} || {todo_en}
<voice> 那个{day}你们就别等我了我这边要{todo}呢
<?> 翻了下日历 {day}就轮到我{todo}了 瑟瑟发抖

# plan task n=10 until={day} : {trip}
请好假了 {day}带我妈去{trip}转转
我跟室友约了{day}一块去{trip}
我{day}就往{trip}跑啦
<en,day=en> I'm off to {trip_en} {day} || {trip_en}
<?> 行李箱都翻出来了 {day}{trip}走起

# remind task n=7 in=private until={day} : {todo}
{day}催我一下 我要{todo}
帮我设个提醒，{day}{todo}
我记性差 到了{day}你敲我一下让我{todo}
<en,day=en> please ping me {day} to {todo_en} || {todo_en}

# starting fact n=3 from={day} : {newjob}
我{day}第一天到{newjob}上班
<?> {newjob}那边背调过了 {day}就得早起打卡了

# note fact n=7 of=* : {note}
你记一下 {note}
帮忙记着{note}
记好了，{note}

# group_todo task n=4 of=* in=group until={day} : {group_todo}
没弄的抓紧，最晚{day}，把{group_todo}

# decision decision n=11 in=group : {decision}
我们最终决定{decision}
大家一致决定{decision}
讨论结果：{decision}
咱们就这么定了 {decision}
<?> 那就听群主的 {decision} 不改了
<?> 没人投反对票 {decision} 生效

# from_now_on decision n=5 in=group : {norm}
从今天起{norm}
今后大家{norm}
<?> 新规矩 {norm} 违者发红包

# procedure procedure n=8 in=group : {howto}
操作方法：{howto}
记住顺序，{howto}
<?> 老规矩 {howto}

# warning warning n=9 in=group : {warning}
各位当心，{warning}
小心，{warning}
重要提醒：{warning}
<?> 我朋友刚中招 {warning}

# summary summary n=2 in=group : {summary}
今天的结论：{summary}
"""
