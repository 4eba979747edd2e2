"""Numpy's BLAS works with one thread inside a block, and with as many as before after it."""

import sys

import pytest

from nonebot_plugin_scoped_memory.engine import blas


class TestOneBlasThread:
    def test_the_last_block_sets_it_back(self) -> None:
        get, set_ = blas._controls()
        before = get()
        set_(2)
        try:
            with blas.one_blas_thread():
                with pytest.raises(ZeroDivisionError), blas.one_blas_thread():
                    raise ZeroDivisionError
                assert get() == 1
            assert get() in (1, 2)  # 1 where numpy has another BLAS
        finally:
            set_(before)

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems may have another BLAS")
    def test_it_is_found_in_numpys_own_wheel(self) -> None:
        get, set_ = blas._controls()
        before = get()
        set_(2)
        try:
            assert get() == 2
            with blas.one_blas_thread():
                assert get() == 1
            assert get() == 2
        finally:
            set_(before)
