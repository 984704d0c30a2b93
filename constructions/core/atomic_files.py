"""Files written whole or not at all: a kill or a full disk leaves the previous one as it was.

cache_folder()                          the folder of cached results
check_folder(path, option)              refuses a file in a folder that does not exist
check_distinct(path, option, source)    refuses to overwrite the input
replace_file(path, content)             raises OSError
write_file(path, content, option)       the same; an error names the option of the command line
write_folder(folder, files, option)     several files; a missing folder is created
vacant(folder, force)                   refuses a folder that is not empty
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex

from constructions.core.errors import InputError


def cache_folder() -> Path:
    """Folder of cached results: `ASSAY_CACHE`, or `assay` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("ASSAY_CACHE") or Path(home) / "assay")


def replace_file(path: Path, content: bytes) -> None:
    """Put a file in its place once it is complete; a pipe or a device takes the content as it is."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    temporary = path.with_name(f".{path.name[:40]}.{token_hex(8)}")
    try:
        with temporary.open("xb") as file:  # its permissions are those that the user's mask leaves
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_folder(path: Path, option: str) -> None:
    """Refuse a file in a folder that does not exist."""
    if not path.parent.is_dir():
        raise InputError("no such folder", str(path.parent), "", option)


def check_distinct(path: Path, option: str, source: Path) -> None:
    """Refuse to write over the input file."""
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(option, str(path), "a file other than the input")


def write_file(path: Path, content: bytes, option: str) -> None:
    """Write a file that an option names, into an existing folder."""
    check_folder(path, option)
    try:
        replace_file(Path(os.path.realpath(path)), content)  # a link stays, its target is written
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(option, reason, "a writable path", str(path)) from None


def write_folder(folder: Path, files: Mapping[str, bytes], option: str) -> None:
    """Write files, by name, into the folder that an option names; links in it are not followed."""
    for name in files:
        if (folder / name).is_symlink() or (folder / name).is_dir():
            raise InputError(option, name, "a regular file", str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(option, reason, "a writable path", str(folder)) from None
    for name, content in files.items():
        write_file(folder / name, content, option)


def vacant(folder: Path, force: bool) -> None:
    """Refuse a folder that is not empty, unless `force` is given."""
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise InputError("--out", str(folder), "a new folder, or --force to write over this one")
