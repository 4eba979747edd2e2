"""One BLAS thread while small matrices are multiplied.

OpenBLAS spreads even a product of microseconds over all cores and waits for the last. On a 2-core machine that is busy
otherwise, a sentence of the ``local`` model took 223 ms so, and 3.5 ms with one thread (measured with numpy 2.4).
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

_lock = threading.Lock()
_inside = 0
_before = 0


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """One thread for the BLAS of numpy's own wheels, for the whole process, until the last such block ends.

    May be entered from any thread. Does nothing where numpy uses another BLAS (Accelerate on macOS, a distribution's).
    """
    global _inside, _before
    get, set_ = _controls()
    with _lock:
        if not _inside:
            _before = get()
            set_(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                set_(_before)


@functools.cache
def _controls() -> tuple[Callable[[], int], Callable[[int], object]]:
    """What reads and sets the number of threads. numpy must have been imported."""
    import ctypes

    import numpy

    package = Path(numpy.__file__).parent
    for library in [*package.with_name("numpy.libs").glob("*openblas*"), *package.glob(".dylibs/*openblas*")]:
        # numpy has it loaded; this is the same one.
        with contextlib.suppress(OSError):
            found = ctypes.CDLL(str(library))
            for prefix in ("scipy_openblas", "openblas"):
                for suffix in ("64_", ""):
                    get = getattr(found, f"{prefix}_get_num_threads{suffix}", None)
                    set_ = getattr(found, f"{prefix}_set_num_threads{suffix}", None)
                    if get is not None and set_ is not None:
                        return get, set_
    return (lambda: 1), (lambda threads: None)  # noqa: ARG005
