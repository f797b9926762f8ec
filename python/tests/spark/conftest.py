"""These tests share a Spark session and are not run by pytest, but as spark_local and spark_cluster by ctest."""

collect_ignore_glob = ["*_test.py"]
