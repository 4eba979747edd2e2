"""Events that are no messages: what was taken back, and the chat that any event is of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from nonebot_plugin_scoped_memory.bot.onebot import Recall, read_recall, session_of
from tests.bot.raw_events import BOT, RECALL, SENT_AT, event_of, message_of, napcat_group


class TestOtherEvents:
    def test_group_recall(self) -> None:
        assert read_recall(event_of(RECALL)) == Recall("qq:group:20001", "10000", "-77", "qq:user:10002")

    def test_friend_recall(self) -> None:
        data = {**RECALL, "notice_type": "friend_recall", "group_id": None, "operator_id": None}
        assert read_recall(event_of(data)) == Recall("qq:private:10001", "10000", "-77", "qq:user:10001")

    def test_friend_recall_of_the_bots_own_message_does_not_tell_the_chat(self) -> None:
        data = {**RECALL, "notice_type": "friend_recall", "group_id": None, "operator_id": None, "user_id": BOT}
        assert read_recall(event_of(data)) == Recall("", "10000", "-77", "qq:user:10000")

    def test_recall_that_the_adapter_has_no_model_for(self) -> None:
        data = {key: value for key, value in RECALL.items() if key != "operator_id"}
        assert read_recall(event_of(data)) == Recall("qq:group:20001", "10000", "-77", "qq:user:10001")

    @pytest.mark.parametrize(
        "changes", [{"message_id": None}, {"message_id": []}, {"message_id": 0}, {"notice_type": "group_ban"}]
    )
    def test_no_recall(self, changes: dict[str, Any]) -> None:
        assert read_recall(event_of({**RECALL, **changes})) is None

    def test_a_message_is_no_recall(self) -> None:
        assert read_recall(message_of(napcat_group([]))) is None

    @pytest.mark.parametrize(
        ("data", "key"),
        [
            (RECALL, "qq:group:20001"),
            ({"post_type": "notice", "notice_type": "friend_add", "user_id": 10001}, "qq:private:10001"),
            ({"post_type": "request", "request_type": "friend", "user_id": 10001, "flag": "a"}, "qq:private:10001"),
            (
                {
                    "post_type": "notice",
                    "notice_type": "notify",
                    "sub_type": "poke",
                    "user_id": 10001,
                    "target_id": BOT,
                },
                "qq:private:10001",
            ),
            ({"post_type": "meta_event", "meta_event_type": "lifecycle", "sub_type": "connect"}, None),
        ],
    )
    def test_session_of_any_event(self, data: dict[str, Any], key: str | None) -> None:
        assert session_of(event_of({"time": SENT_AT, "self_id": BOT, **data})) == key

    def test_session_of_a_foreign_event(self) -> None:
        assert session_of(SimpleNamespace(user_id="10001", message_type="private")) is None
