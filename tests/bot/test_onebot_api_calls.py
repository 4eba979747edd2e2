"""What the bot says through an API call: where, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from nonebot.adapters.onebot.v11 import Message, MessageSegment

from nonebot_plugin_scoped_memory.bot.onebot import Sent, read_api_send
from tests.bot.raw_events import said, seg


class TestApiCalls:
    @pytest.mark.parametrize(
        ("api", "data", "key"),
        [
            ("send_msg", {"message_type": "group", "group_id": 20001, "user_id": 10001}, "qq:group:20001"),
            ("send_msg", {"message_type": "private", "group_id": 20001, "user_id": 10001}, "qq:private:10001"),
            ("send_msg", {"user_id": "10001"}, "qq:private:10001"),
            ("send_msg", {"user_id": 10001, "group_id": 20001}, "qq:group:20001"),
            ("send_msg_async", {"user_id": 10001}, "qq:private:10001"),
            ("send_private_msg", {"user_id": 10001, "group_id": 20001}, "qq:private:10001"),
            ("send_group_msg", {"group_id": 20001}, "qq:group:20001"),
            ("send_group_msg", {"group_id": 10000}, "qq:group:10000"),  # a group may have the bot's number
        ],
    )
    def test_where(self, api: str, data: dict[str, Any], key: str) -> None:
        assert read_api_send(api, {**data, "message": "好"}, {"message_id": 7}, "10000") == Sent(key, "好", "7")

    @pytest.mark.parametrize(
        ("message", "text"),
        [
            ("[CQ:at,qq=10001] 好&#91;1&#93;", "@10001 好[1]"),
            ("[CQ:dice]", "[骰子]"),
            (Message("[CQ:reply,id=5]好") + MessageSegment.image(b"QUJD"), "好[图片]"),
            (MessageSegment.text("好"), "好"),
            ([said("好"), seg("image", file="base64://QUJD")], "好[图片]"),
            (said("好"), "好"),
            ([MessageSegment.text("好"), "[CQ:a]"], "好[CQ:a]"),
            (None, ""),
            (5, ""),
        ],
    )
    def test_what(self, message: Any, text: str) -> None:
        sent = read_api_send("send_group_msg", {"group_id": 20001, "message": message}, None, "10000")
        assert sent == Sent("qq:group:20001", text, "")

    def test_cq_codes_that_are_text(self) -> None:
        data = {"group_id": 20001, "message": "[CQ:dice]", "auto_escape": True}
        sent = read_api_send("send_group_msg", data, {}, "10000")
        assert sent is not None
        assert sent.text == "[CQ:dice]"

    @pytest.mark.parametrize(
        ("api", "data", "key"),
        [
            ("send_group_forward_msg", {"group_id": 20001}, "qq:group:20001"),
            ("send_private_forward_msg", {"user_id": 10001}, "qq:private:10001"),
            ("send_forward_msg", {"message_type": "group", "group_id": "20001"}, "qq:group:20001"),
        ],
    )
    def test_forward(self, api: str, data: dict[str, Any], key: str) -> None:
        result = {"message_id": 7, "res_id": "abc"}
        sent = read_api_send(api, {**data, "messages": [seg("node", content="x")]}, result, "10000")
        assert sent == Sent(key, "[合并转发]", "7")

    @pytest.mark.parametrize(
        ("api", "data"),
        [
            ("get_msg", {"message_id": 5}),
            ("send_like", {"user_id": 10001}),
            ("send_group_notice", {"group_id": 20001}),
            ("send_msg", {"message": "好"}),
            ("send_group_msg", {"group_id": "x", "message": "好"}),
            ("send_group_msg", {"user_id": 10001, "message": "好"}),
            ("send_private_msg", {"user_id": 10000, "message": "好"}),
        ],
    )
    def test_nothing_said(self, api: str, data: dict[str, Any]) -> None:
        assert read_api_send(api, data, {"message_id": 7}, "10000") is None

    @pytest.mark.parametrize(
        "result", [None, [], "7", *({"message_id": id} for id in (None, {}, True, 0, "0", -1, "-1"))]
    )
    def test_result_without_an_id(self, result: Any) -> None:
        sent = read_api_send("send_group_msg", {"group_id": 20001, "message": "好"}, result, "10000")
        assert sent == Sent("qq:group:20001", "好", "")

    def test_gocqhttps_negative_id(self) -> None:
        sent = read_api_send("send_group_msg", {"group_id": 20001}, {"message_id": -1216345113}, "10000")
        assert sent == Sent("qq:group:20001", "", "-1216345113")
