"""What changes: corrections, moods that turn, words taken back; and what is only understood from several lines."""

from __future__ import annotations

BOTH = """
== lang_change n=3 once=lang
a: 我主要写{lang}
+ fact id=A key=language : {lang} & 写|用|语言
b: 巧了
--- 4-12
b: 你还在写{lang}吗
a: 不对，我现在用{lang2}了
x A
+ fact key=language : {lang2} & 写|用|语言 & !{lang}
== lang_change once=lang
a: 我平时写{lang}比较多
+ fact id=A key=language : {lang} & 写|用|语言
--- 3-10
a: 说起来我已经改成主要写{lang2}了
x A
+ fact key=language : {lang2} & 写|用|语言
b: 弃坑了啊
== moved n=3 once=home
a: 我住在{city}
+ fact id=A key=home : {city} & 住|在|家
--- 5-15
a: 我搬家了 现在住在{city2}
x A
+ fact key=home : {city2} & 住|在|家|搬
b: 恭喜乔迁
== moved once=home
b: 你还在{city}吗
a: 早不在了 上个月就搬到{city2}了
+? fact key=home : {city2} & 住|在|家|搬
b: 哦哦
== taste_change n=4
a: 我喜欢{liked}
+ preference id=A : {liked} & 喜欢|爱 & !不喜欢
--- 4-14
a: 我现在不喜欢{liked}了
x A
+ preference : {liked} & 不喜欢|不爱|不再喜欢
b: 变心真快
== taste_change
a: 我不喜欢{hated}
+ preference id=A : {hated} & 不喜欢|讨厌
--- 4-14
a: 其实现在觉得{hated}还不错 我收回之前的话
x A
+? preference : {hated} & 不错|喜欢|改观|接受|还行|收回
== call_change n=2 once=call
a: 叫我{call}就行
+ preference id=A key=nickname : {call} & 叫|称呼
b: 好的{call}
--- 3-12
a: 别叫我{call}了 以后叫我{call2}吧
x A
+ preference key=nickname : {call2} & 叫|称呼
== birthday_fix n=2 once=birthday
a: 我生日是{birthday}
+ fact id=A key=birthday : {birthday} & 生日
b: 记下了
a: 打错了 我生日是{birthday2}
x A
+ fact key=birthday : {birthday2} & 生日
== job_change n=2 once=job
a: 我是做{job}的
+ fact id=A : {job}
--- 5-15
a: 我转行了 现在做{job2}
x A
+ fact : {job2}
== plan_change n=3
a: 我{day}要去{trip}
+ task id=A until={day} : {trip}
b: 羡慕
--- 1-1
a: {trip}不去了 取消了
x A
== decision_change n=3 in=group
a: 我们决定{swap}
+ decision id=A : {swap}
b: 好
--- 2-8
c: 上次说的{swap}作废，我们改成{new}
x A
+ decision : {new}
a: 收到
== taken_back n=3
a: 我喜欢{liked}
+ preference id=A : {liked} & 喜欢|爱
a: 算了 刚才那句别记
z A
== taken_back in=private
a: 记住我{day}要{todo}
+ task id=A : {todo}
bot: 好的，到时候提醒你～
a: 不用了 忘了吧 别记这个
z A
bot: 好，已经当没听过
== inferred_pet n=3 once=pet
b: 你家那只{pet}还好吗
a: 好着呢 {petname}昨天还打翻了我的水杯
+? fact with=b : {petname} & {pet}|宠物|养
b: 哈哈哈哈
== inferred_job n=3 once=job in=group
b: 你们那行过年放几天
a: 别提了 {job}过年最忙 年三十都在上班
+? fact : {job}
== inferred_allergy n=3
b: 来一份{allergen}吗
a: 想要我命就直说 上次差点进ICU
+? fact with=b : {allergen} & 过敏|不能吃|吃了
b: 啊对不起忘了
== inferred_allergy
b: 里面放了{allergen} 尝尝
a: 别 我吃了嘴会肿
+? fact with=b : {allergen} & 过敏|不能吃|肿
== inferred_like n=4
b: 这周第几次{act}了
a: 第五次 别拦我
+? preference with=b : {act} & 喜欢|爱|迷|常|经常|五次
== split n=4
a: 跟你们说个事
a: 我{day}不在
a: 要去{trip}
+? task lines=2 until={day} : {trip}
b: 去几天
a: 三四天吧
== long_message n=2
a: <long> 唉今天真的是累死了 早上六点多就被楼上装修吵醒 然后挤了一个小时的车 到公司发现电脑还蓝屏了 修了半天 \
中午食堂的菜又咸又贵 下午开了三个会 一个都没有结论 晚上回来路上还下雨没带伞 不过好消息是我{day}终于可以{todo}了 \
这件事拖了快一个月 办完就踏实了 然后周末准备在家睡两天谁都别叫我
+? task until={day} : {todo}
b: 太长不看
b: 看完了 抱抱
== long_message
a: <long> 来写个长长的自我介绍吧！大家好呀，我是群里的新人，之前一直潜水没说过话，今天被拉出来示众了。\
我叫{nick_other}，平时话不多，\
但是熟了以后会发现我是个话痨。工作日基本上都在上班摸鱼，周末喜欢宅着。我对{allergen}过敏，\
所以约饭的时候麻烦大家照顾一下。\
另外我超级喜欢{liked}，有同好的话可以私聊我！最后祝大家天天开心，早睡早起，少掉头发，谢谢大家看到这里～
+ fact : {nick_other} & 叫|名
+ fact : {allergen} & 过敏
+ preference : {liked} & 喜欢|爱
b: 欢迎欢迎
== again n=3
a: 我喜欢{liked}
+ preference id=A : {liked} & 喜欢|爱
--- 6-16
a: 我真的很喜欢{liked}！
+ preference : {liked} & 喜欢|爱
"""

DEV = """
== lang_change once=lang
a: 我写{lang}的
+ fact id=A key=language : {lang} & 写|用|语言
--- 4-12
b: 这个{lang}的库怎么装
a: 别问我 我转{lang2}了 {lang}早扔了
x A
+? fact key=language : {lang2} & 写|用|转|语言
== moved once=home
a: 我现在住{city}
+ fact id=A key=home : {city} & 住|在|家
--- 5-12
a: 更正一下 我不住{city}了，现在住在{city2}
x A
+ fact key=home : {city2} & 住|在|家
== taste_change
a: 我特别喜欢{food}
+ preference id=A : {food} & 喜欢|爱 & !不
--- 5-14
b: {food}走起
a: 不了 上次吃伤了 现在看见{food}就反胃
x A
+? preference : {food} & 不喜欢|讨厌|反胃|腻|不再
== birthday_fix once=birthday
a: 我{birthday}生日
+ fact id=A key=birthday : {birthday} & 生日
b: 上次不是说另一天吗
a: 不是{birthday}，是{birthday2}，我手滑
x A
+? fact key=birthday : {birthday2} & 生日
== plan_change
a: {day}去{trip}
+ task id=A until={day} : {trip}
--- 1-1
a: 计划有变，改到{day2}去{trip}
x A
+ task until={day2} : {trip}
b: 行吧
== decision_change in=group
a: 大家商量好了 {swap}
+ decision id=A : {swap}
--- 3-9
a: {swap}不行 最后决定{new}
x A
+ decision : {new}
== taken_back
a: 我对{allergen}过敏
+ fact id=A : {allergen} & 过敏
a: 啊不对 发错群了 这条当我没说
z A
== inferred_pet once=pet
a: [图片]
b: 这是你家的？
a: 嗯 {pet} 叫{petname} 上个月刚接回来
+? fact : {petname} & {pet}|宠物
== inferred_like
a: {act}有没有人一起
b: 你怎么天天{act}
a: 热爱 懂吗 热爱
+? preference with=b : {act} & 热爱|喜欢|爱
== inferred_home n=2 once=home
b: 地震了！{city}有感觉吗
a: 有！我家吊灯都在晃
+? fact key=home with=b : {city} & 住|家|在
== split
a: 以后吃饭别点{allergen}
b: 咋了
a: 我过敏
+? fact lines=2 : {allergen} & 过敏
== shared_later n=3 in=group
b: 那周末到底去哪
c: 我都行
a: 那就{decision}？
b: 行
c: 附议
+? decision with=a : {decision}
== shared_later in=group
a: 我提议{decision} 同意的扣1
b: 1
c: 1
d: 1
+? decision with=a : {decision}
"""
