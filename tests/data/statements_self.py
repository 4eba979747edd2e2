"""What people say of themselves, one sentence each: names, days, places, work, home, body, habits."""

from __future__ import annotations

BOTH = """
# name fact key=name n=6 once=name : {name} & 叫|名
@ 新人报个真名呗 我改下备注
% 备注好了
我叫{name}
大家好 我叫{name} 刚进群
我的名字是{name}
我真名叫{name}啦
本名{name}
<?> {name} 写备注就行

# call preference key=nickname n=6 once=call : {call} & 叫|称呼
% 好嘞{call}
叫我{call}就行
以后叫我{call}吧
你们叫我{call}就好
可以叫我{call}
<?> 别喊全名了怪别扭的 {call}就挺好

# birthday fact key=birthday n=7 once=birthday : {birthday} & 生日|出生|生
@ 你几号生日来着
% 记住了 到时候宰你一顿
我生日{birthday}
我生日是{birthday}
我的生日在{birthday}
我{birthday}生日
我是{birthday}生的
<?> 每年{birthday}我妈都给我煮长寿面 又老一岁

# home fact key=home n=7 once=home : {city} & 住|在|家|定居|搬
@ 群里有{city}的吗
% 那离我不远
我住在{city}
我现在住{city}
我人在{city}
我在{city}租的房
我家在{city}
<?> {city}又下雨了 我阳台的衣服第三天没干

# origin fact n=6 once=origin : {origin} & 人|老家|出生|长大
我是{origin}人
我老家{origin}的
我{origin}的
老家是{origin}的
<?> 从小在{origin}长大的谁没吃过这个啊

# job fact n=7 once=job : {job} & !不是|以前
@ 你是做什么工作的
% 听着就累
我是做{job}的
我是个{job}
我在一家小公司当{job}
我现在的工作是{job}
<?> 当{job}的哪有周末啊 客户一个电话就得起来

# study fact n=5 once=study : {major}
@ 你什么专业
我学{major}的
我大学读的{major}
我专业是{major}
<?> 我们{major}期末要考七门 人已经没了

# language fact key=language n=5 once=lang : {lang} & 写|用|语言
@ 你们主力语言都是啥
我主要写{lang}
我现在主要用{lang}
平时写{lang}比较多
我写{lang}的
<?> {lang}写了四年了 闭着眼都能敲

# tool fact n=6 : {tool} & 用|换
我一直用{tool}
我平时用{tool}
我用的是{tool}
<?> 我这{tool}配了三年 谁也别想让我换

# device fact n=5 : {device} & 用|买|换|有|机
我用的{device}
我手机是{device}
<?> 我那台{device}又花屏了 用了三年了

# pet fact n=7 once=pet : {petname} & {pet}|宠物
@ 谁家的毛孩子
% 求照片
我家{pet}叫{petname}
我养了只{pet}叫{petname}
我的{pet}叫{petname}
我有一只{pet} 名字叫{petname}
<?> {petname}又把我的耳机线咬断了 养{pet}的报应

# kin fact n=6 once=kin : {kin} & {grade}
我{kin}今年上{grade}
我{kin}在读{grade}
我有个{kin} 今年{grade}
<?> 又要给我{kin}辅导作业 {grade}的题我都不会做

# married fact n=2 once=married : 结婚|已婚
我结婚了
我已经结婚两年了
<?> 我老婆昨天还说结婚纪念日我又忘了

# single fact n=1 once=married : 单身
我单身
单身三年了

# allergy fact n=7 once=allergy : {allergen} & 过敏|不能吃|不能碰
@ 点菜了 有人有忌口吗
% 好 那不点这个
我对{allergen}过敏
我{allergen}过敏
我对{allergen}严重过敏
对{allergen}过敏的举手 我先举
<?> 我一吃{allergen}就浑身起疹子 上次直接去挂急诊了 || {allergen} & 过敏|疹|不能吃|急诊

# diet fact n=5 once=diet : {diet}
@ 你有什么不吃的
我{diet}
我现在{diet}
<?> 给我换个菜吧 我都{diet}三年了

# health fact n=5 : {illness}
我有{illness}
我{illness} 好多年了
<?> 医生说我这{illness}得养 咖啡都给我停了

# habit fact n=9 : {habit}
我每天{habit}
我一般{habit}
我习惯{habit}
每天{habit}
<?> {habit}这事我坚持半年了居然没断

# skill fact n=4 : {skill}
我会{skill}
我{skill}十年了
<?> {skill}考级那年手都起泡了 现在过年还得表演 || {skill}

# age fact n=4 once=age : {age}
我今年{age}
我{age}
<?> {age}的人了还在打游戏 我妈说的

# mbti fact n=3 once=mbti : {mbti}
我是{mbti}
<?> 测了三次都是{mbti} 我没救了

# overseas fact n=2 once=overseas : {abroad}
我现在在{abroad}
我在{abroad}读书 跟国内有时差
"""

DEV = """
# name fact key=name n=6 once=name : {name} & 叫|名
自我介绍一下，我叫{name}，请多关照
<en> my name is {name}
<?> 快递写{name}收 别写网名 快递员念出来我想死

# call preference key=nickname n=6 once=call : {call} & 叫|称呼
叫我{call}就可以了
大家以后喊我{call}
<en> just call me {call}
<?> 朋友都喊我{call} 你们随意 || {call} & 叫|称呼|喊

# birthday fact key=birthday n=7 once=birthday : {birthday} & 生日|出生|生
{birthday}是我生日
<voice> 对了那个我生日是{birthday}你们别忘了啊
<en> my birthday is {birthday}

# home fact key=home n=7 once=home : {city} & 住|在|家|定居|搬
坐标{city}
我目前在{city}
<voice> 我跟你们说一下啊我现在是住在{city}这边的
<?,typo> 我现在主在{city}
<?> {city}的房租谁懂啊 一个隔断间要我两千八

# origin fact n=6 once=origin : {origin} & 人|老家|出生|长大
土生土长{origin}人
<?> 过年回{origin} 二十个小时硬座 年年如此 || {origin} & 老家|回|过年|家

# job fact n=7 once=job : {job} & !不是|以前
职业{job}
我毕业以后一直做{job}
<en> I work as a {job}
<?> 又被甲方改了八版 {job}真不是人干的

# study fact n=5 once=study : {major}
我是{major}专业的
在读{major} 大三
<?> {major}人{major}魂 看到公式就头疼

# language fact key=language n=5 once=lang : {lang} & 写|用|语言
我主力语言是{lang}
<en> I mostly write {lang}
<?> 公司项目全是{lang} 我都快忘了别的怎么写

# tool fact n=6 : {tool} & 用|换
我写东西都用{tool}
我换成{tool}了
<?> {tool}党路过

# device fact n=5 : {device} & 用|买|换|有|机
我刚买了{device}
我的主力机是{device}

# pet fact n=7 once=pet : {petname} & {pet}|宠物
我家有只{pet} 叫{petname}
{petname}是我家{pet}的名字
<en> my {pet} is called {petname}
<?> 给你们看我们家{petname} 刚绝育的{pet}[图片]

# kin fact n=6 once=kin : {kin} & {grade}
我家{kin}刚上{grade}
<?> {kin}{grade}开家长会 我爸妈出差 又是我去

# allergy fact n=7 once=allergy : {allergen} & 过敏|不能吃|不能碰
别点{allergen} 我过敏
<en> I'm allergic to {allergen_en} || {allergen_en}
<voice> 那个我{allergen}过敏啊就是不能吃的那种你们点的时候注意一下
<?,typo> 我对{allergen}过民 别放

# diet fact n=5 once=diet : {diet}
我一直{diet}
我{diet} 你们点你们的

# health fact n=5 : {illness}
我有点{illness}
查出来{illness} 以后得注意了

# habit fact n=9 : {habit}
我天天{habit}
我一直有{habit}的习惯
<?,voice> 我现在基本上就是每天都会{habit}然后才能去干别的事情

# skill fact n=4 : {skill}
小时候学过{skill}
我可以{skill}

# age fact n=4 once=age : {age}
本人{age}
<?> 过完年就{age}了 || {age}

# overseas fact n=2 once=overseas : {abroad}
人在{abroad}
<?> 你们都吃晚饭了 我这{abroad}刚天亮
"""
