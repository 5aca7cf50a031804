"""An archive depends on its files alone."""

import os
import zipfile

import pytest
from archive import pack


def folder(root, names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"text of {name}", "utf-8")
    return root


def test_the_same_files_make_the_same_archive(tmp_path):
    names = ["index.html", "book/a.html", "book/扰动.html", ".hidden", "book.html"]
    one, other = folder(tmp_path / "one", names), folder(tmp_path / "other", names[::-1])
    os.utime(other / "index.html", (10**9, 10**9))
    (other / "index.html").chmod(0o600)
    (other / "empty").mkdir()
    for where in (one, other):
        pack(where, where / "made" / "site.zip", leave_out=(".hidden", "*.zip"))
    first, second = (where / "made" / "site.zip" for where in (one, other))
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as packed:
        assert packed.namelist() == [f"site/{n}" for n in ("book/a.html", "book/扰动.html", "book.html", "index.html")]
        assert packed.read("site/book/扰动.html").decode() == "text of book/扰动.html"
        assert packed.testzip() is None
    (other / "index.html").write_text("other text", "utf-8")
    pack(other, second, leave_out=(".hidden", "*.zip"))
    assert first.read_bytes() != second.read_bytes()


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="folder must hold at least one file"):
        pack(tmp_path, tmp_path / "site.zip")
