"""What must not be learnt: jokes, sarcasm, other people's words, guesses, questions, songs, passing states."""

from __future__ import annotations

BOTH = """
== joke n=12
a: 我最喜欢{chore}了[doge]
- joke of=* : {chore} & 喜欢
b: 懂了 下次都给你
== joke
a: 我宣布我是{planet}人 刚坐飞碟来的 哈哈哈哈
- joke of=* : {planet}
b: 外星人也要交房租的
== joke
a: 我叫{fakename}，今年三百岁，家住月球背面
- joke of=* : {fakename}
- joke : 月球
b: 神经病啊哈哈哈
== joke
a: 我家里有{pile}，低调低调[表情:doge]
- joke of=* : {pile}
b: 借我一点
== joke
a: 以后叫我{boast}[滑稽]
- joke of=* : {boast}
b: 滚
== joke
a: 开玩笑的啦 我怎么可能{feat}
- joke of=* : {feat}
== sarcasm n=10
a: 我可太喜欢{chore}了，一天不{chore}浑身难受
- sarcasm of=* : {chore} & 喜欢|难受
== sarcasm
b: 领导又说要{chore}
a: 好家伙 真是太爱了呢 我这辈子就指着{chore}活
- sarcasm of=* : {chore}
== sarcasm
a: 呵呵 我最爱{chore}
- sarcasm of=* : {chore}
== sarcasm
a: 是是是 我就喜欢{chore}，谁不喜欢啊
- sarcasm of=* : {chore} & 喜欢
b: 阴阳怪气
== quoted n=8 in=group
b: 我对{allergen}过敏
+ fact of=b : {allergen} & 过敏
a: <quote=b> 哈哈 可怜
- quote of=a : {allergen} & 过敏
== quoted in=group
b: 我{day}要{todo}
+ task of=b until={day} : {todo}
a: <quote=b> 辛苦了
- quote of=a : {todo}
== quoted in=group
b: 我特别喜欢{liked}
+ preference of=b : {liked} & 喜欢|爱
c: <quote=b> 我记得你上次说过
- quote of=c : {liked}
== quoted in=group
c: {b}刚才在另一个群说“我喜欢{liked}”，笑死
- quote of=c : {liked}
- quote of=b : {liked}
~ of= : {liked} & 说
== bot_words n=4 in=private
a: 你有什么爱好吗
bot: 我喜欢{liked}，也喜欢听大家聊天～
- bot : {liked}
a: <quote=bot> 哈哈哈
== bot_words in=private
a: 你怕什么
bot: 我怕{hated}，一听到就想关机
- bot : {hated}
a: 胆小鬼
== bot_words in=private
a: 自我介绍一下
bot: 我叫小忆，我住在{trip}的一台服务器里，今年一岁
- bot : {trip}
a: 行
== third_party n=12
a: {b}说他{day}要去{trip}
- third_party of=* : {trip}
~ of= : {trip} & 说|据|提到|表示|称|告诉
== third_party
a: {b}其实特别喜欢{liked} 你们别告诉他我说的
- third_party of=* : {liked}
~ of= : {liked} & 说|据|提到|表示|称|告诉
== third_party
a: 我同事对{allergen}过敏 聚餐老得绕着走
- third_party of=a : {allergen} & 过敏 & !同事
~ : {allergen} & 同事
== third_party
a: 我妈不爱吃{hated}
- third_party of=a : {hated} & !妈
~ : {hated} & 妈
== third_party
a: {b}他女朋友是做{job_other}的
- third_party of=* : {job_other}
~ of= : {job_other} & 说|据|提到|表示|称|告诉
== third_party
a: 我室友叫{fakename} 打呼噜能震塌楼
- third_party of=a key=name : {fakename} & !室友
~ : {fakename} & 室友
== hearsay_health n=5 in=group
a: 听说{b}得了{bad_illness} 真的假的
- hearsay : {bad_illness}
c: 别乱传
== hearsay_health
a: 我听人讲{b}前阵子住院了 好像是{bad_illness}
- hearsay : {bad_illness}
== hearsay_address n=5
a: {b}好像住{address}
- hearsay : {address}
== hearsay_address
a: {b}家地址是{address}，电话{phone}，你直接寄
- hearsay : {address}
- hearsay : {phone}
== if n=9
a: 要是我中了彩票 我就{dream}
- hypothetical of=* : {dream}
== if
a: 如果有来生 我要当{job_other}
- hypothetical of=* : {job_other}
== if
a: 等我有钱了 我天天去{trip}
- hypothetical of=* : {trip}
== if
a: 我可能会喜欢{liked}吧 没试过
- hypothetical of=* : {liked}
== if
a: 假如我{day}不用上班，我就去{trip}躺平
- hypothetical of=* : {trip}
== asked n=9
a: 我喜欢{liked}吗？我自己都不知道
- question of=* : {liked}
== asked
a: 你们有人喜欢{liked}吗
- question of=* : {liked}
b: 没有
== asked
a: 谁住{asked_city}啊 求个攻略
- question of=* : {asked_city}
== asked
a: {b}你是不是对{allergen}过敏来着？
- question of=* : {allergen}
b: 你记错人了吧
== denied n=8
a: 我没说过我喜欢{liked}
- negation of=* : {liked} & !没|不
== denied
a: 我对{allergen}不过敏 放心点
- negation of=* : {allergen} & 过敏 & !不过敏|不会过敏|没有过敏|没过敏
~ : {allergen} & 不过敏|没有过敏|没过敏|不会过敏
== denied
b: 你不是{asked_city}人吗
a: 我不是{asked_city}人啊 谁说的
- negation of=* : {asked_city} & !不是
~ of=a : {asked_city} & 不是
== denied
a: 我又没养{other_pet} 你认错了
- negation of=* : {other_pet} & !没|不
~ of=a : {other_pet} & 没|不
== past n=6
a: 我以前很喜欢{liked}的
- past of=* : {liked} & !以前|曾|过去
~ of=a : {liked} & 以前|曾|过去
== past
a: 小时候我住在{asked_city} 早搬走了
- past of=* : {asked_city} & !小时候|以前|曾|过去
~ of=a : {asked_city} & 小时候|以前|曾|过去
== lyrics n=7
a: <lyrics> {lyric}
- lyrics of=* : {lyric}
== lyrics
a: <lyrics> ♪{lyric}♪
- lyrics of=* : {lyric}
b: 跑调了
== passing n=14
a: 我去洗澡了
- passing of=* here : 洗澡
~ until=0 of=a : 洗澡
== passing
a: 我先睡了 晚安
- passing of=* here : 睡
~ until=0 of=a : 睡
== passing
a: 我在吃{c_food} 等我十分钟
- passing of=* here : {c_food} & !喜欢|爱
~ until=0 of=a : {c_food}
== passing
a: 我在地铁上 信号不好
- passing of=* here : 地铁 & !上班|通勤
~ until=0 of=a : 地铁
== passing
a: 我下楼拿个快递
- passing of=* here : 快递 & !寄|取|拿
~ until=0 of=a : 快递
== anonymous n=3 in=group
anon: 我对{allergen}过敏
- anonymous : {allergen}
== anonymous
anon: 记住我喜欢{liked}
- anonymous of=* : {liked}
"""

DEV = """
== joke
a: 我不吃饭 我吸收天地灵气 主要喝{planet}上的露水[doge]
- joke of=* : {planet}
== joke
a: 我爱{chore} {chore}使我快乐（狗头
- joke of=* : {chore}
== joke
a: 我住在{palace}里 出门都是八抬大轿 233
- joke of=* : {palace}
== joke
b: 你体重多少
a: 我体重三百斤 骗你的
- joke of=* : 三百斤
== sarcasm
a: 太棒了 又可以{chore}了 我真的好喜欢哦（并不
- sarcasm of=* : {chore}
== sarcasm
a: 我喜欢{chore}才怪
- sarcasm of=* : {chore}
== sarcasm
a: {chore}真香 香得我想辞职
- sarcasm of=* : {chore}
== quoted in=group
c: 群主原话：“我{day}请大家喝{drink}”
- quote of=c : {drink}
== quoted in=group
b: 我叫{nick_other} 你呢
+ fact of=b : {nick_other} & 叫|名
a: <quote=b> 好名字
- quote of=a : {nick_other}
== third_party
a: {b}上次吃{allergen}脸肿得跟猪头一样 他过敏
- third_party of=* : {allergen} & 过敏
- third_party of=* : {allergen}
== third_party
a: 替{b}说一声 他{day}要{todo} 晚点来
- third_party of=a : {todo}
- third_party of=b : {todo}
~ of= : {todo}
== third_party
a: 我弟喜欢{thing} 天天缠着我买
- third_party of=a : {thing} & !弟
~ : {thing} & 弟
== hearsay_health in=group
a: {b}怎么没来 不会是{bad_illness}了吧
- hearsay : {bad_illness}
== hearsay_address
a: 我扒到{b}的住址了 {address} 明天去堵他哈哈
- hearsay : {address}
== if
a: 万一我考上了 我就去学{major_other}
- hypothetical of=* : {major_other}
== if
a: 我想我会喜欢{trip}的
- hypothetical of=* : {trip}
== asked
a: 要不要一起去{trip}
- question of=* : {trip}
== asked
a: 我{day}有没有说要{todo}来着
- question of=* : {todo}
== denied
a: 谁跟你说我喜欢{liked}的 造谣
- negation of=* : {liked} & !没|不
== denied
a: 我从来不{vice}
- negation of=* : {vice} & !不
~ of=a : {vice} & 不
== past
a: 大学那会儿我天天{bygone} 现在哪有时间
- past of=* : {bygone} & !大学|以前|曾|过去
~ of=a : {bygone} & 大学|以前|曾|过去
== lyrics
a: <lyrics> 歌词分享：{lyric}
- lyrics of=* : {lyric}
== passing
a: 我出门遛个弯
- passing of=* here : 遛弯|遛个弯
~ until=0 of=a : 遛
== passing
a: 手机快没电了 我充会儿
- passing of=* here : 没电
~ until=0 of=a : 没电
== roleplay n=3
a: 从现在开始我是一只猫 我叫{fakename} 喵
- joke of=* : {fakename}
== roleplay
a: 跑团角色卡发一下 我扮演矮人 名字{fakename} 住在{palace}
- joke of=* : {fakename} & !角色|跑团
- joke of=* : {palace} & !角色|跑团
~ of=a : {fakename} & 角色|跑团
"""
