"""No certificate may take long: a confirmation that does not end in time is a refusal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from verify.recheck.errors import MALFORMED, Refused, abbreviate

SECONDS = 20  # of processor time; the slowest genuine certificate takes about five


@contextmanager
def patience(name: str, seconds: int = SECONDS) -> Iterator[None]:
    """Refuse a certificate whose confirmation runs longer, or out of memory or depth."""

    def stop(_: int, __: FrameType | None) -> None:
        raise Refused(f"{name}: not confirmed within {seconds} s of processor time")

    alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    previous = signal.signal(signal.SIGPROF, stop) if alarm else None
    if alarm:
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except Refused as error:
        text = str(error)
        raise Refused(text if text.startswith(name) else f"{name}: {text}") from None
    except MALFORMED as error:
        raise Refused(
            f"{name}: malformed: {type(error).__name__}: {abbreviate(str(error))}"
        ) from None
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, previous)
