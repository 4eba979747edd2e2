"""The benchmarks run, and say what they measured; how fast anything was is none of a test's business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


def run(script: str, *options: str) -> str:
    command = [sys.executable, str(BENCHMARKS / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=110)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_scale_measures_every_section(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    shown = run(
        "scale.py",
        *("--items", "300", "--scopes", "12", "--queries", "4", "--runs", "1", "--pairs", "1", "--messages", "10"),
        *("--data", str(tmp_path / "none"), "--vectors", "random", "--json", str(figures)),
    )
    assert "built-in sentences (data sets not found)" in shown
    assert "not measured" not in shown
    found = json.loads(figures.read_text(encoding="utf-8"))
    targets = {one["name"]: one["target"] for one in found["figures"] if one["target"] is not None}
    assert sorted(set(targets.values())) == [1.0, 5.0, 20.0, 40.0, 60.0, 400.0]
    assert all(one["columns"] for one in found["figures"])


def test_a_kept_database_is_used_again(tmp_path: Path) -> None:
    options = ("--items", "60", "--scopes", "3", "--queries", "2", "--runs", "1", "--data", str(tmp_path / "none"))
    kept = ("--vectors", "random", "--database", str(tmp_path / "kept.db"), "--only")
    assert "Writing" in run("scale.py", *options, *kept, "writing")
    again = run("scale.py", *options, *kept, "search")
    assert "Writing" not in again
    assert "largest scope" in again


def test_soak_kills_and_loads_and_finds_nothing_wrong(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    options = ("--kills", "3", "--minutes", "0.03", "--rate", "20", "--chats", "5", "--data", str(tmp_path / "none"))
    run("soak.py", *options, "--json", str(figures))
    found = {one["name"]: one for one in json.loads(figures.read_text(encoding="utf-8"))["figures"]}
    assert found["messages sent"]["columns"]["value"] == 36
    for name in (
        *("acknowledged messages lost", "messages stored twice", "items stored twice", "messages lost"),
        *("messages that the watermark passed unread", "faults of index, counts, numbers and dreams' records"),
        *("processes that ended otherwise than killed", "calls that failed"),
    ):
        assert found[name]["met"], name


def test_answers_are_timed_during_a_dream(tmp_path: Path) -> None:
    options = ("--turns", "20", "--items", "10", "--questions", "3", "--runs", "1", "--vectors", "none")
    shown = run("dream_load.py", *options, "--data", str(tmp_path / "none"))
    assert "answers, during one, ms" in shown
    assert "< 1.20" in shown


def test_recall_says_that_it_found_no_data(tmp_path: Path) -> None:
    assert "were not found" in run("recall.py", "--data", str(tmp_path))


def test_recall_reports_its_half_beside_the_baselines() -> None:
    shown = run("recall.py", "--limit", "6", "--lexical", "--only", "madial-zh", "--tune")
    if "were not found" in shown:
        pytest.skip("the data sets are not here")
    assert "lexical, tuning half" in shown
    assert "lexical, reported half" in shown
    assert "rank-bm25 over jieba" in shown


def test_quality_follows_the_definitions() -> None:
    from benchmarks.metrics import Judged, quality

    found = quality([Judged(["b", "a", "x"], ["a", "c"]), Judged(["a"], ["a"]), Judged(["a"], [])])
    assert found.questions == 2
    assert found.recall == pytest.approx((0.5 + 1) / 2)
    assert found.mrr == pytest.approx((0.5 + 1) / 2)
    gain = 0.6309297535714575  # 1 / log2(3)
    assert found.ndcg == pytest.approx((gain / (1 + gain) + 1) / 2)
    assert quality([]).questions == 0


def test_sizes_follow_zipf_and_leave_none_empty() -> None:
    from benchmarks.corpus import zipf_sizes

    sizes = zipf_sizes(100_000, 1_000)
    assert sum(sizes) == 100_000
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 12_000 > sizes[1]
    assert min(zipf_sizes(10, 8)) == 1
