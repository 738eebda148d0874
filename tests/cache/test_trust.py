"""What somebody else may have written is not read, let alone run, and what is not as it was written is made again."""

import contextlib
import os
import pickle
import stat
import threading
import warnings

import pytest
from linad_typecheck.diagnostics import Diagnostic, LinadWarning
from linad_typecheck.span import Span

from linad import linear_grad, specialise
from linad.codegen import cache, cache_format
from linad.codegen.error_sites import Site

KEY = "0123456789abcdef0123456789abcdef"
pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files here")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LINAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("LINAD_CACHE", raising=False)
    monkeypatch.setattr(cache, "_said", threading.Lock())
    monkeypatch.setattr(cache, "_memory", {})
    monkeypatch.setattr(specialise, "_loaded", {})
    return tmp_path / "cache"


def gradient() -> float:
    @linear_grad
    def f(x: float) -> float:
        return x * x

    return f.grad(3.0)


def files(place):
    return sorted(p for p in place.rglob("*") if p.is_file())


@contextlib.contextmanager
def masked(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022])
def test_folders_and_code_are_the_users_alone(place, mask):
    with masked(mask):
        assert gradient() == 6.0
    folders = [place, *(p for p in place.iterdir() if p.is_dir())]
    assert {stat.S_IMODE(p.stat().st_mode) for p in folders} == {0o700}
    code = [p for p in files(place) if p.suffix in (".py", ".front", ".code")]
    assert {p.suffix for p in code} == {".py", ".front", ".code"}
    assert {stat.S_IMODE(p.stat().st_mode) for p in files(place)} == {0o600}


def test_files_are_the_users_alone_again_after_they_were_open_to_all(place, monkeypatch):
    assert gradient() == 6.0
    before = {p.name for p in files(place)}
    assert {"lock", "used", "looked"} <= before
    for path in files(place):
        path.chmod(0o666)
    monkeypatch.setattr(specialise, "_loaded", {})
    monkeypatch.setattr(cache, "PAUSE", 0)
    assert gradient() == 6.0
    cache._due(place)
    assert before == {p.name for p in files(place)}
    assert {stat.S_IMODE(p.stat().st_mode) for p in files(place)} == {0o600}


@pytest.mark.parametrize("which", ["the whole", "an entry", "another user's"])
def test_a_folder_that_others_may_write_to_is_not_used(place, monkeypatch, which):
    assert gradient() == 6.0
    before = {p: p.stat().st_mtime_ns for p in files(place)}
    if which == "another user's":
        monkeypatch.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)
    else:
        for folder in [place] if which == "the whole" else list(place.glob("f-*")):
            folder.chmod(0o770)
    monkeypatch.setattr(cache, "read", None)
    monkeypatch.setattr(specialise, "_loaded", {})
    with pytest.warns(LinadWarning, match="others may write to it.*chmod 700") as told:
        assert gradient() == 6.0
        assert gradient() == 6.0
    assert len(told) == 1
    assert before == {p: p.stat().st_mtime_ns for p in files(place)}


class Trap:
    """A pickle that tells when it is read."""

    def __reduce__(self):
        return pytest.fail, ("a file of somebody else was read",)


def planted(path):
    path.write_bytes(pickle.dumps(Trap()))


def sealed(path):
    path.write_bytes(cache._sealed(path, pickle.dumps(Trap())))
    path.chmod(0o620)


def another_users(path):
    path.write_bytes(cache._sealed(path, pickle.dumps(Trap())))
    os.chown(path, 12345, -1)


def link(path):
    path.unlink()
    elsewhere = path.parent.parent.parent / path.name
    elsewhere.write_bytes(cache._sealed(path, pickle.dumps(Trap())))
    path.symlink_to(elsewhere)


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def folder(path):
    path.unlink()
    path.mkdir()


def full_folder(path):
    folder(path)
    (path / "something").touch()


@pytest.mark.parametrize("put", [planted, sealed, another_users, link, pipe, folder])
def test_what_is_not_the_users_file_is_replaced(place, monkeypatch, put):
    if put is another_users and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    assert gradient() == 6.0
    code = [p for p in files(place) if p.suffix in (".py", ".front", ".code")]
    for path in code:
        put(path)
    monkeypatch.setattr(specialise, "_loaded", {})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gradient() == 6.0
    assert all(stat.S_ISREG(p.lstat().st_mode) and cache.read(p) for p in code)
    monkeypatch.setattr(specialise, "_loaded", {})
    monkeypatch.setattr(specialise, "checked_or_error", None)
    assert gradient() == 6.0


@pytest.mark.parametrize("suffix", [".py", ".front", ".code", "lock", "used"])
def test_what_cannot_be_replaced_is_done_without(place, monkeypatch, suffix):
    assert gradient() == 6.0
    for path in [p for p in files(place) if p.name.endswith(suffix)]:
        full_folder(path)
    monkeypatch.setattr(specialise, "_loaded", {})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert gradient() == 6.0
        monkeypatch.setattr(specialise, "_loaded", {})
        assert gradient() == 6.0
    assert len(told) == suffix.startswith(".")
    assert not list(place.rglob(f"*{cache.HALF}"))


def test_facts_are_kept_with_their_types():
    span = Span("file", 1, 2, 3, 4)
    facts = (True, 1, None, "\ud800\n", (), (Site(span, "E", "{0}", ("f64",)),), Diagnostic("a", "b", "error", "c", span))
    again = cache_format.load(cache_format.dump(facts))
    assert again == facts and [type(v) for v in again] == [type(v) for v in facts] and b"\n" not in cache_format.dump(facts)


class Text(str):
    pass


@pytest.mark.parametrize("value", [[1], {1: 2}, 1.5, Text("x"), object()])
def test_other_types_are_no_facts(value):
    with pytest.raises(TypeError, match="the cache keeps no"):
        cache_format.dump((value,))
