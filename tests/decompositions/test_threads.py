"""The libraries whose threads are held."""

from __future__ import annotations

import pytest
from threadpoolctl import ThreadpoolController

from radprog.decompositions import threads
from radprog.decompositions.threads import held_to


def test_libraries_are_found_without_a_look_at_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that threadpoolctl finds is held, though of most files only the name is read."""
    every = {library["filepath"] for library in ThreadpoolController().info()}
    seen: list[str] = []
    look = ThreadpoolController._make_controller_from_path

    def looked(self: ThreadpoolController, filepath: str) -> None:
        seen.append(filepath)
        look(self, filepath)

    monkeypatch.setattr(ThreadpoolController, "_make_controller_from_path", looked)
    libraries = threads._libraries.__wrapped__(late=False)
    assert {library["filepath"] for library in libraries.info()} == every
    assert seen
    assert not any(path.endswith(threads.MODULES) for path in seen)


def test_all_of_them_are_held() -> None:
    with held_to(1):
        assert all(library["num_threads"] == 1 for library in ThreadpoolController().info())
