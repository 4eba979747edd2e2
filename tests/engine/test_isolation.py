"""No chat reads another's words: search by words. (A file of its own, so that it runs beside the others.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from .isolation import check_isolation


@pytest.mark.timeout(300)
def test_no_chat_reads_anothers_words(tmp_path: Path) -> None:
    check_isolation("lexical", tmp_path)
