"""These tests share a session of Spark, and are run by themselves: ctest's spark_local and spark_cluster."""

collect_ignore_glob = ["*_test.py"]
