"""These tests share a Spark session and are not run by pytest, but by ctest and `make check`."""

collect_ignore_glob = ["*_test.py"]
