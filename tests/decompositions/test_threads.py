"""The libraries whose threads are held."""

from threadpoolctl import ThreadpoolController

from radprog.base.limits import held_to


def test_all_of_them_are_held() -> None:
    with held_to(1):
        assert all(library["num_threads"] == 1 for library in ThreadpoolController().info())
