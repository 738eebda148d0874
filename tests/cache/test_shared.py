"""Folders of compiled code that users share: what is read from them, and what is not."""

import threading

import pytest
from linad_typecheck.diagnostics import LinadWarning

from linad.codegen import cache, machine_code

from ..faults.test_cache import fresh, place, value_and_gradient

assert place, "the folder of each test"

SECRET = "0123456789abcdef" * 2


class Guest:
    """A user who reads a folder that another one has filled."""

    def __init__(self, tmp_path, monkeypatch):
        self.shared, self.monkeypatch = tmp_path / "shared", monkeypatch
        monkeypatch.setenv("LINAD_CACHE_KEY", SECRET)
        assert (entry := cache.entry("f", "0" * 32)).ready()
        entry.store_front("k", ("front", 1))
        entry.store_module("k-m", "def f(): ...\n", ("facts", 2))
        assert cache.command(["share", str(self.shared)]) == 0
        monkeypatch.setenv("LINAD_CACHE_SHARED", str(self.shared))
        monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "guest"))
        monkeypatch.setattr(cache, "_memory", {})
        monkeypatch.setattr(cache, "_said_of_shared", threading.Lock())

    def found(self):
        entry = cache.entry("f", "0" * 32)
        return dict(entry.fronts()).get("k"), entry.module("k-m")


@pytest.fixture
def guest(place, tmp_path, monkeypatch):
    return Guest(tmp_path, monkeypatch)


WHOLE = ("front", 1), ("def f(): ...\n", ("facts", 2))


def test_a_shared_folder_is_read(guest):
    assert guest.found() == WHOLE
    modes = {p.stat().st_mode & 0o777 for p in guest.shared.rglob("*") if p.is_file()}
    assert modes == {0o644} and guest.shared.stat().st_mode & 0o777 == 0o755


def damage(guest):
    for file in guest.shared.rglob("*.*"):
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)


def forge(guest):
    """Somebody without the key, or with another one."""
    for file in guest.shared.rglob("*.*"):
        content = file.read_bytes().partition(b"\n")[2]
        file.write_bytes(cache._sealed(file, content, b"another key"))


def open_up(mode, what):
    def change(guest):
        (guest.shared if what == "folder" else next(guest.shared.glob(what))).chmod(mode)

    return change


@pytest.mark.parametrize(
    "change",
    [damage, forge, open_up(0o777, "folder"), open_up(0o775, "f-*"),
     lambda g: g.monkeypatch.setenv("LINAD_CACHE_KEY", "x" * 40)],
)  # fmt: skip
def test_what_others_may_have_written_is_not(guest, change):
    change(guest)
    before = {p: p.read_bytes() for p in guest.shared.rglob("*.*")}
    assert guest.found() == (None, None)
    assert before == {p: p.read_bytes() for p in guest.shared.rglob("*.*")}, "nothing of it is removed"


@pytest.mark.parametrize("suffix", [".front", ".py"])
def test_one_file_that_others_may_write_to(guest, suffix):
    next(guest.shared.rglob(f"*{suffix}")).chmod(0o666)
    found = guest.found()
    assert (found[0] is None, found[1] is None) == (suffix == ".front", suffix == ".py")


def test_a_shared_folder_without_a_key(guest, monkeypatch, capsys):
    monkeypatch.delenv("LINAD_CACHE_KEY")
    with pytest.warns(LinadWarning, match="LINAD_CACHE_KEY is the key") as told:
        assert guest.found() == guest.found() == (None, None)
    assert len(told) == 1
    assert cache.command(["share", "elsewhere"]) == 2 and "LINAD_CACHE_KEY" in capsys.readouterr().err


def test_a_function_is_not_compiled_where_the_shared_folder_has_it(place, tmp_path, monkeypatch):
    assert value_and_gradient() == (9.0, 6.0)
    monkeypatch.setenv("LINAD_CACHE_KEY", SECRET)
    cache.share(tmp_path / "shared", SECRET.encode())
    monkeypatch.setenv("LINAD_CACHE_SHARED", str(tmp_path / "shared"))
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "guest"))
    monkeypatch.setattr(cache, "_memory", {})
    fresh(monkeypatch)
    monkeypatch.setattr(machine_code.MachineCode, "save_overload", lambda *_: pytest.fail("it is compiled"))
    assert value_and_gradient() == (9.0, 6.0)
    assert not (tmp_path / "guest").exists() or not list((tmp_path / "guest").rglob("*.code"))
