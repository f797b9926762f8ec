"""Writes the Parquet files that the unit tests of the corpus read.  parquet_files.py FOLDER"""

import datetime
import decimal
import os
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

UTC = datetime.timezone.utc


def main(folder):
    def write(name, columns, **how):
        pq.write_table(pa.table(columns), os.path.join(folder, name), **how)

    texts = [f"text {i} " + "word " * (i % 23) for i in range(500)]
    texts[7] = texts[499] = None
    texts[11] = ""
    write("groups.parquet", {"text": texts, "id": [f"id{i}" for i in range(500)], "n": range(500)}, row_group_size=37,
          data_page_size=200)

    write("fields.parquet", {
        "text": ["a", "b", "c"],
        "string": ["x", None, ""],
        "int": pa.array([-1, None, 2**62], pa.int64()),
        "unsigned": pa.array([2**64 - 1, None, 0], pa.uint64()),
        "byte": pa.array([255, None, 0], pa.uint8()),
        "real": pa.array([0.1, None, float("nan")], pa.float64()),
        "single": pa.array([0.1, None, 3.0], pa.float32()),
        "half": pa.array([-1.5, None, 2**-24], pa.float16()),
        "bool": [True, None, False],
        "utc": pa.array([datetime.datetime(2024, 2, 29, 23, 59, 59, 123456, UTC), None,
                         datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)], pa.timestamp("us", "Asia/Tokyo")),
        "local": pa.array([datetime.datetime(1, 1, 1), None, datetime.datetime(9999, 12, 31)], pa.timestamp("ms")),
        "nanos": pa.array([1, None, -1], pa.timestamp("ns")),
        "date": [datetime.date(2000, 2, 29), None, datetime.date(1900, 3, 1)],
        "time": pa.array([datetime.time(1, 2, 3, 4000), None, datetime.time(0)], pa.time64("us")),
        "decimal": pa.array([decimal.Decimal("-12.30"), None, decimal.Decimal("0.05")], pa.decimal128(30, 2)),
        "uuid": pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([uuid.UUID(int=255).bytes, None, uuid.UUID(int=0).bytes], pa.binary(16))),
        "meta": [{"source": "s", "deep": {"k": 1}}, None, {"source": None, "deep": None}],
        "list": [[1], None, []],
    })
    write("int96.parquet", {"text": ["a", "b"], "at": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, 6), None])},
          use_deprecated_int96_timestamps=True)
    write("long.parquet", {"text": ["short", "l" * 300_000, "short again", "m" * 5_000_000]}, compression="zstd")
    write("nested.parquet", {
        "lists": [[[i, None], []] if i % 3 else None for i in range(200)],
        "doc": [{"text": f"text {i} of many", "tags": ["a"] * (i % 5)} if i % 17 else None for i in range(200)],
    }, row_group_size=60, data_page_size=64, write_page_index=True)


main(sys.argv[1])
