"""The files of the cache: whole or absent, bounded, listed, removed."""

import os
import sys
import threading
from pathlib import Path

import pytest
from linad_typecheck.diagnostics import LinadWarning

from linad import linear_grad
from linad.codegen import cache

KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("LINAD_CACHE", raising=False)
    monkeypatch.delenv("LINAD_CACHE_LIMIT", raising=False)
    monkeypatch.setattr(cache, "_said", threading.Lock())
    monkeypatch.setattr(cache, "_memory", {})
    return tmp_path / "cache"


def filled(name, size, used):
    entry = cache.entry(name, KEY)
    entry.store_module("m", "x" * size, ("driver", (), 7))
    os.utime(entry.folder / "used", (used, used))
    return entry


def test_modules_come_back_as_they_were(place):
    entry = cache.entry("f", KEY)
    assert entry.module("m") is None
    assert entry.store_module("m", "text\nof two lines\n", ("f", (1, 2), True))
    assert cache.entry("f", KEY).module("m") == ("text\nof two lines\n", ("f", (1, 2), True))
    assert entry.folder.parent == place


def test_fronts_come_back_and_damaged_ones_are_removed():
    entry = cache.entry("f", KEY)
    entry.store_front("a", ("x", 1))
    entry.store_front("b", ("x", 2))
    (entry.folder / "a.front").write_bytes(b"\x80garbage")
    (entry.folder / "b.front").rename(entry.folder / "c.front")  # whole, but of another name
    entry.store_front("b", ("x", 3))
    assert list(entry.fronts()) == [("b", ("x", 3))]
    assert [p.name for p in entry.folder.glob("*.front")] == ["b.front"]


def test_a_constant_that_keeps_changing_does_not_fill_the_disk(monkeypatch):
    monkeypatch.setattr(cache, "FRONTS", 2)
    entry = cache.entry("f", KEY)
    for k in range(4):
        entry.store_front(f"{k}", k)
        os.utime(entry.folder / f"{k}.front", (1000 + k, 1000 + k))
        entry.store_module(f"{k}-m", "text", ())
    assert [k for k, _ in entry.fronts()] == ["3", "2"]
    assert entry.module("0-m") is None and entry.module("3-m") is not None


def test_each_flipped_bit_is_found():
    entry = cache.entry("f", KEY)
    path = entry.folder / "m.py"
    entry.store_module("m", "text", ("f", 7))
    whole = path.read_bytes()
    for k in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[k // 8] ^= 1 << k % 8
        path.write_bytes(damaged)
        assert entry.module("m") is None and not path.exists()


def test_discard_takes_machine_code_along():
    entry = cache.entry("f", KEY)
    entry.store_module("m", "text", ())
    machine = entry.folder / "m.f-3.code"
    machine.write_text("")
    entry.discard("m")
    assert not (entry.folder / "m.py").exists() and not machine.exists()


def test_least_recently_used_goes_first():
    old, new = filled("old", 2000, 1_000), filled("new", 2000, 2_000)
    assert [s.name for s in cache.stored()] == ["new", "old"]
    assert [s.name for s in cache.shrink(bytes_allowed=3000)] == ["old"]
    assert new.folder.exists() and not old.folder.exists()


def test_the_limit_is_kept_where_new_entries_arrive(monkeypatch):
    filled("old", 2000, 1_000)
    monkeypatch.setenv("LINAD_CACHE_LIMIT", "1000")
    monkeypatch.setattr(cache, "PAUSE", 0)
    entry = cache.entry("new", KEY[::-1])
    assert entry.ready()
    assert entry.folder.exists() and [s.name for s in cache.stored()] == ["new"]


def test_how_much_is_kept_is_not_asked_at_each_new_entry(monkeypatch):
    asked = []
    monkeypatch.setattr(cache, "shrink", lambda keep: asked.append(keep.name))
    entries = [cache.entry(name, KEY) for name in "abc"]
    assert all(e.ready() for e in entries)
    assert asked == [entries[0].folder.name]
    mark = entries[0].folder.parent / "looked"
    os.utime(mark, (1_000, 1_000))
    assert cache.entry("d", KEY).ready() and len(asked) == 2


def test_only_our_folders_are_removed(place):
    filled("f", 10, 1_000)
    (place / "precious").mkdir()
    (place / "file-x").write_text("")
    assert cache.command(["purge"]) == 0
    assert sorted(p.name for p in place.iterdir()) == ["file-x", "precious"]


def test_command(capsys, place):
    filled("some_function", 3 * 2**20, 1_000)
    assert cache.command(["dir"]) == 0
    assert capsys.readouterr().out.strip() == str(place)
    assert cache.command(["list"]) == 0
    out = capsys.readouterr().out
    assert "some_function" in out and "3.00 MB" in out and "1 entry" in out
    assert cache.command(["purge"]) == 0
    assert "removed 1 entry" in capsys.readouterr().out and cache.stored() == []
    assert cache.command(["bake"]) == 2
    assert "usage" in capsys.readouterr().err


def test_switched_off(monkeypatch, place):
    monkeypatch.setenv("LINAD_CACHE", "0")
    entry = cache.entry("f", KEY)
    assert entry.folder is None and not entry.store_module("m", "text", ()) and entry.module("m") is None
    entry.store_front("a", ("x", 1))
    assert list(cache.entry("f", KEY).fronts()) == [("a", ("x", 1))] and list(cache.entry("g", KEY).fronts()) == []
    entry.discard("m")
    assert not place.exists()


def test_a_place_that_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "file" / "inside"))
    entry = cache.entry("f", KEY)
    with pytest.warns(LinadWarning, match="stays in memory"):
        assert not entry.ready() and not entry.store_module("m", "text", ())
    entry.store_front("a", ())
    with entry.locked():
        assert list(entry.fronts()) == [("a", ())]


def test_asking_makes_no_folder(place):
    entry = cache.entry("f", KEY)
    assert entry.module("m") is None and list(entry.fronts()) == [] and not place.exists()


def test_a_folder_that_cannot_be_written(monkeypatch):
    entry = cache.entry("f", KEY)

    def refuse(*args, **kwargs):
        raise PermissionError("read-only")

    monkeypatch.setattr(cache.tempfile, "mkstemp", refuse)
    with pytest.warns(LinadWarning, match="stays in memory"):
        assert not entry.store_module("m", "text", ())
    entry.store_front("a", ())
    assert list(entry.fronts()) == [("a", ())]


def test_readers_see_whole_files_only(tmp_path):
    path = tmp_path / "cache" / "entry" / "file"
    contents = [bytes([k]) * 100_000 for k in range(4)]
    assert cache.write(path, contents[0])
    stop = threading.Event()
    seen = []

    def read():
        while not stop.is_set():
            seen.append(cache.read(path))

    reader = threading.Thread(target=read)
    reader.start()
    for k in range(100):
        cache.write(path, contents[k % 4])
    stop.set()
    reader.join()
    assert seen and all(s in contents for s in seen)
    assert list(path.parent.iterdir()) == [path]


def test_generated_modules_are_not_among_the_modules():
    """IPython's `%autoreload` would import them again by their names, and they would never be forgotten."""
    f = linear_grad(lambda x: x * 3.0)
    assert f(2.0) == 6.0
    assert [name for name in sys.modules if name.startswith("linad_generated_")] == []


def test_odd_names_make_plain_folders():
    assert Path(cache.entry("<lambda>", KEY).folder).name == f"_lambda_-{KEY}"
