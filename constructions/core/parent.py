"""Worker processes exit when their parent dies, for whatever reason.

A parent that is killed (`kill -9`, too little memory) cannot end its workers, and a worker of a pool
would wait for its next task for ever. It has a pipe whose other end belongs to the parent alone.
"""

from __future__ import annotations

import multiprocessing
import os
import threading

ORPHANED = 1


def end_with_parent() -> None:
    """Watch the parent from a thread of this worker; for a pool's `initializer`."""
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(ORPHANED)
