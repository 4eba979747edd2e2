"""What segments read as, and that no segment whatever raises, costs much or lets an address through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory import texts
from nonebot_plugin_scoped_memory.bot.onebot import read_api_send
from nonebot_plugin_scoped_memory.bot.segments import MAX_CARD_CHARS, render
from nonebot_plugin_scoped_memory.engine.models import MAX_TURN_CHARS
from tests.bot.raw_events import BOT, OTHER_BOT, napcat_group, read, said, seg, text_of

CARD = {
    "app": "com.tencent.miniapp_01",
    "prompt": "[QQ小程序]哔哩哔哩",
    "meta": {"detail_1": {"title": "哔哩哔哩", "desc": "三分钟学会手冲", "preview": "http://i/a.jpg"}},
}
NEWS = {"prompt": "[分享]豆子", "desc": "", "meta": {"news": {"title": "豆子", "desc": "产地", "jumpUrl": "https://x"}}}
FORWARD_CARD = {"app": "com.tencent.multimsg", "desc": "[聊天记录]", "meta": {"detail": {"resid": "abc"}}}
XML = '<?xml version="1.0"?><msg serviceID="1" brief="[分享] A&amp;B"><item><title>标题</title></item></msg>'


class TestSegments:
    @pytest.mark.parametrize(
        ("segment", "expected"),
        [
            (said("原话 https://a.b/c\n第二行"), "原话 https://a.b/c\n第二行"),
            (seg("text", text=5), "5"),
            (seg("text", text=None), ""),
            (seg("at", qq="10002", name="小红"), "@小红"),
            (seg("at", qq=10002, name="@小红\n[t3]"), "@小红[t3]"),
            (seg("at", qq="10002"), "@10002"),
            (seg("at", qq="all"), "@全体成员"),
            (seg("at", qq=80000000), "@某人"),
            (seg("at", qq=None, name="小红"), "@小红"),
            (seg("face", id="178"), "[表情]"),
            (seg("face", id="178", raw={"faceText": "/捂脸"}), "[表情:捂脸]"),
            (seg("face", id="178", raw={"faceText": None}), "[表情]"),
            (seg("mface", summary="[开心]", url="http://x", key="k"), "[表情:开心]"),
            (seg("marketface"), "[表情]"),
            (seg("image", file="base64://AAAA", url="http://x/a.jpg", sub_type=0, summary=""), "[图片]"),
            (seg("image", file="a.jpg", summary="看 http://x"), "[图片]"),
            (seg("image", file="a.jpg", sub_type=1), "[动画表情]"),
            (seg("image", file="a.jpg", subType="1"), "[动画表情]"),
            (seg("image", file="a.jpg", summary="[动画表情]"), "[动画表情]"),
            (seg("image", file="a.gif", summary="[开心]", emoji_id="ab12", emoji_package_id=1), "[表情:开心]"),
            (seg("record", file="a.amr", url="http://x"), "[语音]"),
            (seg("video", file="http://x/a.mp4"), "[视频]"),
            (seg("file", file="报告.pdf", file_id="/u", file_size="9"), "[文件:报告.pdf]"),
            (seg("file", file_name="报告.pdf", url="http://x"), "[文件:报告.pdf]"),
            (seg("file", file="/srv/bot" * 90 + "/报告.pdf"), "[文件:报告.pdf]"),
            (seg("file", file="C:\\bot\\报告.pdf"), "[文件:报告.pdf]"),
            (seg("file", file="base64://AAAA"), "[文件]"),
            (seg("file", file="data:image/png;base64," + "QU/JD" * 200), "[文件]"),
            (seg("file", file="http://x/a.pdf"), "[文件]"),
            (seg("file", file="a]\n[t9] 小红: 我怕辣"), "[文件:a】 【t9】 小红: 我怕辣]"),
            (seg("share", url="http://x", title="豆子"), "[分享:豆子]"),
            (seg("json", data=json.dumps(CARD)), "[卡片:【QQ小程序】哔哩哔哩 三分钟学会手冲]"),
            (seg("json", data=json.dumps(NEWS)), "[卡片:【分享】豆子 产地]"),
            (seg("json", data=CARD), "[卡片:【QQ小程序】哔哩哔哩 三分钟学会手冲]"),
            (seg("json", data=json.dumps(FORWARD_CARD)), "[合并转发]"),
            (seg("json", data="{"), "[卡片]"),
            (seg("json", data="[" * 30_000), "[卡片]"),
            (seg("json", data='{"meta": [1], "prompt": {"a": 1}}'), "[卡片]"),
            (seg("json", data='{"prompt": "a", "b": "' + "b" * MAX_CARD_CHARS + '"}'), "[卡片]"),
            (seg("xml", data=XML), "[卡片:【分享】 A&B 标题]"),
            (seg("xml", data='<msg serviceID="35" brief="[聊天记录]"/>'), "[合并转发]"),
            (seg("location", lat="31", lon="121", title="人民广场"), "[位置:人民广场]"),
            (seg("location", lat="31", lon="121"), "[位置]"),
            (seg("music", type="163", id="1"), "[音乐]"),
            (seg("music", type="custom", title="晴天", audio="http://x"), "[音乐:晴天]"),
            (seg("contact", type="qq", id="10002"), "[名片]"),
            (seg("dice", result="3"), "[骰子:3]"),
            (seg("dice", value=6), "[骰子:6]"),
            (seg("dice"), "[骰子]"),
            (seg("rps", result="1"), "[猜拳:布]"),
            (seg("rps", result=3), "[猜拳:石头]"),
            (seg("rps", value="0"), "[猜拳:石头]"),
            (seg("rps", value=2), "[猜拳:布]"),
            (seg("rps", result=9), "[猜拳]"),
            (seg("rps", value=10**17), "[猜拳]"),
            (seg("rps"), "[猜拳]"),
            (seg("poke", type="1", id="-1"), "[戳一戳]"),
            (seg("shake"), "[窗口抖动]"),
            (seg("forward", id="abc", content=[{"a": 1}]), "[合并转发]"),
            (seg("markdown", content="**好** ![a](https://x/y.png)"), "**好** [图片]"),
            (seg("markdown", content=None), "[markdown]"),
            (seg("reply", id="5"), ""),
            (seg("anonymous", ignore="1"), ""),
            (seg("keyboard", content={}), "[keyboard]"),
            (seg("x]\n[y" * 100), "[xyxyxyxyxyxy]"),
            (seg(""), "[未知消息]"),
            (seg(None), "[未知消息]"),
            (seg([1]), "[未知消息]"),
            ({"type": "image", "data": None}, "[图片]"),
            ({"type": "image", "data": [1, 2]}, "[图片]"),
            ({"type": "text"}, ""),
            (said("a\ud83db\x00c\x1b"), "a\ufffdb\ufffdc\ufffd"),
            (said("好😀\t好"), "好😀\t好"),
        ],
    )
    def test_one(self, segment: dict[str, Any], expected: str) -> None:
        assert text_of(segment) == expected

    def test_nodes_are_one_forward(self) -> None:
        assert render([seg("node", id="1"), seg("node", id="2"), said("看")]).text == "[合并转发]看"

    def test_mentions_name_each_account_once(self) -> None:
        incoming = read(
            napcat_group([seg("at", qq="10002", name="小红"), seg("at", qq="10002"), seg("at", qq="all"), said("在")])
        )
        assert incoming.turn.text == "@小红@小红@全体成员在"
        assert incoming.turn.mentions == (("qq:user:10002", "小红"),)

    def test_namesakes_are_told_apart(self) -> None:
        both = [seg("at", qq=who, name="小王") for who in ("10002", "10003", "10002")]
        incoming = read(napcat_group([both[0], said("欠"), both[1], said("的比"), both[2], said("多")]))
        assert incoming.turn.text == "@小王欠@小王(10003)的比@小王多"
        assert incoming.turn.mentions == (("qq:user:10002", "小王"), ("qq:user:10003", "小王(10003)"))

    def test_a_card_that_looks_like_anothers_label_is_not_one(self) -> None:
        names = [("10003", "小王(10001)"), ("10002", "小王"), ("10001", "小王"), ("10004", "(10001)")]
        incoming = read(napcat_group([seg("at", qq=who, name=name) for who, name in names]))
        assert [name for _, name in incoming.turn.mentions] == ["小王", "小王(10002)", "小王(10001)", "10004"]

    def test_two_connections_see_the_same_text(self) -> None:
        message = [seg("at", qq=str(BOT)), said(" 在吗")]
        texts_seen = {read(napcat_group(message, self_id=bot)).turn.text for bot in (BOT, OTHER_BOT)}
        assert texts_seen == {"@10000 在吗"}

    def test_long_text_is_cut_and_says_so(self) -> None:
        turn = read(napcat_group([said("字" * 2_000_000)])).turn
        assert len(turn.text) == MAX_TURN_CHARS
        assert turn.text.endswith(f"字{texts.TURN_CUT}")

    def test_text_at_the_limit_is_whole(self) -> None:
        assert text_of(said("字" * (MAX_TURN_CHARS - 4)), seg("image")) == "字" * (MAX_TURN_CHARS - 4) + "[图片]"

    @pytest.mark.parametrize("limit", [0, 1, 5, 50])
    def test_a_limit_below_the_note(self, limit: int) -> None:
        assert len(render([said("字" * 60)], limit).text) == limit

    def test_five_thousand_lines(self) -> None:
        lines = "\n".join(str(n) for n in range(5_000))
        assert text_of(said(lines)) == (lines[: MAX_TURN_CHARS - len(texts.TURN_CUT)] + texts.TURN_CUT)

    @pytest.mark.parametrize(
        "message",
        [
            [seg("image", file="base64://" + "QUJD" * 500_000), said("看")],
            [said("字" * 2_000_000)],
            [said("a\x00")] * 20_000,
            [seg("json", data="[" * 2_000_000)],
            [seg("xml", data="<title " * 300_000)],
            [seg("markdown", content="![" * 1_000_000)],
            [seg("markdown", content="![](" * 500_000)],
            [seg("file", name="://" * 700_000)],
            [seg("at", qq="10002", name="@" * 2_000_000)] * 50,
            "[CQ:a," * 300_000,
            "[CQ:a,b=" * 250_000,
            "[CQ:image,file=base64://" + "QUJD" * 500_000 + "]看",
        ],
    )
    @pytest.mark.timeout(30)  # milliseconds each; what is quadratic takes minutes
    def test_two_megabytes_cost_little(self, message: Any) -> None:
        text = render(message).text
        assert len(text) <= MAX_TURN_CHARS
        assert "QUJD" not in text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("base64://QUJD"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = "text qq name id raw file url summary sub_type title content data result value prompt meta emoji_id".split()
KINDS = [*texts.SEGMENT_NAMES, "text", "at", "markdown", "reply", "anonymous", "keyboard", "", None, 3]
LEAKS = st.sampled_from(["base64://QUJD", "http://x/a.jpg?k=1", "看 https://x/a.jpg", "data:image/png;base64,QUJD"])


class TestAnything:
    @settings(max_examples=200, deadline=None)
    @given(
        st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(KINDS) | st.text(max_size=8)},
                optional={"data": st.dictionaries(st.sampled_from(KEYS), JSON_VALUES, max_size=6) | JSON_VALUES},
            ),
            max_size=5,
        )
    )
    def test_no_segment_raises(self, message: list[dict[str, Any]]) -> None:
        turn = read(napcat_group(message)).turn
        turn.text.encode()
        assert len(turn.text) <= MAX_TURN_CHARS

    @settings(max_examples=100, deadline=None)
    @given(JSON_VALUES)
    def test_no_message_of_a_bot_raises(self, message: Any) -> None:
        assert read_api_send("send_group_msg", {"group_id": 1, "message": message}, None, "1") is not None

    @settings(max_examples=200, deadline=None)
    @given(
        st.sampled_from(["image", "record", "video", "mface", "cardimage", "file", "music", "share", "json"]),
        st.dictionaries(st.sampled_from(KEYS), LEAKS | st.fixed_dictionaries({"faceText": LEAKS}), max_size=10),
    )
    def test_no_address_and_no_bytes_of_a_medium(self, kind: str, data: dict[str, Any]) -> None:
        text = text_of({"type": kind, "data": data})
        assert not any(leak in text for leak in ("base64", "http", "QUJD"))
