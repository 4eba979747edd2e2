"""What people like, dislike and fear, and how they want the bot to answer."""

from __future__ import annotations

BOTH = """
# like preference n=16 : {liked} & 喜欢|爱|好|馋|粉 & !不喜欢|不太|讨厌|不爱
@ 你们平时都喜欢啥
% 有品位
% 这个确实可以
我喜欢{liked}
我超喜欢{liked}
我特别喜欢{liked}
我最喜欢{liked}了
我很爱{liked}
我一直都很喜欢{liked}
最喜欢{liked}了
我也喜欢{liked}
超爱{liked}
<?> {food}yyds 我能一周七天不带腻的 || {food}
<?> 谁懂啊 {liked}真的是我的快乐源泉 || {liked}
<?> 有{liked}我能再活五百年 || {liked}

# dislike preference n=12 : {hated} & 不喜欢|不太喜欢|讨厌|不爱|不吃|受不了|烦|反感|不好
@ 你有啥受不了的
% 懂你
我不喜欢{hated}
我讨厌{hated}
我最讨厌{hated}了
我真的很讨厌{hated}
我不太喜欢{hated}
特别不喜欢{hated}
<?> {hated}达咩 看见就想跑 || {hated}
<?> {hated}这种东西到底谁发明的 拿走拿走 || {hated}

# fear preference n=4 : {fear} & 怕|恐
我怕{fear}
我特别怕{fear}
我从小就怕{fear}
<?> 看到{fear}我腿就软 别发图求求了 || {fear}

# favourite preference n=7 : {favourite} & {topic}|喜欢|爱
我最喜欢的{topic}是{favourite}
我最爱的{topic}就是{favourite}
<?> 要说{topic}还得是{favourite} 看了不下五遍

# hobby preference n=6 : {hobby}
我的爱好是{hobby}
我平时喜欢{hobby}
周末我一般都去{hobby}
<?> 上周末又去{hobby}了 这个月第四次 钱包哭了

# wish preference n=10 in=private : {wish}
<?> {wish} 谢谢
以后{wish}
以后回答我的时候{wish}
<?> 你刚才那样不好 下次{wish}
"""

DEV = """
# like preference n=16 : {liked} & 喜欢|爱|好|馋|粉 & !不喜欢|不太|讨厌|不爱
我真的很喜欢{liked}
说实话我挺喜欢{liked}的
我个人比较喜欢{liked}
我好喜欢{liked}啊啊啊
爱死{liked}了
本人{liked}十级爱好者
我是{liked}的忠实粉丝
<en> I really like {liked_en} || {liked_en}
<en> I love {liked_en} || {liked_en}
<voice> 我这个人吧就是特别喜欢{liked}你们有没有一样的
<?,typo> 我喜翻{liked}
<?> 今天又去{act}了 快乐 || {act}
<?> 没有{act}的周末是不完整的 || {act}

# dislike preference n=12 : {hated} & 不喜欢|不太喜欢|讨厌|不爱|不吃|受不了|烦|反感|不好
我超级讨厌{hated}
真受不了{hated}
<?> 我对{hated}无感 甚至有点讨厌
最烦{hated}
<en> I hate {hated_en} || {hated_en}
<?> 一遇到{hated}我整个人都不好了 || {hated}

# fear preference n=4 : {fear} & 怕|恐
我有{fear}恐惧症
最怕{fear}

# favourite preference n=7 : {favourite} & {topic}|喜欢|爱
我心中最好的{topic}永远是{favourite}
{favourite}是我最喜欢的{topic}

# hobby preference n=6 : {hobby}
我业余时间都在{hobby}
最近迷上了{hobby}

# wish preference n=10 in=private : {wish}
小忆 {wish}
跟你说个事 以后{wish}
<en> from now on {wish_en} || {wish_en}
<?> 我眼睛不好 {wish}

# mention_wish preference n=2 in=group : {wish}
{@bot}以后回我{wish}
"""
