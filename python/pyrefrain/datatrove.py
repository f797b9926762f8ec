"""A datatrove pipeline step that forwards the documents that dedup keeps.

    LocalPipelineExecutor(pipeline=[JsonlReader("data"), pyrefrain.datatrove.Dedup(), JsonlWriter("clean")],
                          tasks=1).run()
"""

from __future__ import annotations

import contextlib

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.typeshelper import StatHints

from ._verbs import _fields, check_dedup_options, dedup

__all__ = ["Dedup"]


class Dedup(PipelineStep):
    """Drops duplicates. Takes the options of pyrefrain.dedup(); the columns that `keep` and `source_field` name are
    metadata.

    All documents are compared with each other, so they must pass through a single task, which holds them in memory.
    Unknown options, values that no option has, and options without an effect are refused before it runs.
    """

    type = "🫂 - DEDUP"
    name = "🎵 pyrefrain"

    def __init__(self, exclusion_writer: DiskWriter | None = None, **options):
        super().__init__()
        check_dedup_options(options)
        self.exclusion_writer = exclusion_writer
        self.options = options

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        if world_size > 1:
            raise ValueError(f"Dedup compares all documents with each other; run it with tasks=1, not {world_size}")
        documents = list(data)
        with self.track_time():
            decisions = dedup(self._columns(documents), **self.options)
            texts = iter(decisions.cut_texts())
        with self.exclusion_writer or contextlib.nullcontext() as writer:
            for document, decision in zip(documents, decisions):
                self.stat_update(StatHints.total)
                if decision["keep"]:
                    document.text = next(texts)
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(document)
                    yield document
                    continue
                self.stat_update(StatHints.dropped, f"dropped_{decision['reason']}")
                if writer:
                    match = decision["match"]
                    document.metadata["filter_reason"] = decision["reason"]
                    document.metadata["match"] = None if match is None else documents[match].id
                    writer.write(document, rank)

    def _columns(self, documents: list[Document]):
        texts = [document.text for document in documents]
        fields = _fields(self.options)
        if not fields:
            return texts
        import pyarrow

        return pyarrow.table({"text": texts,
                              **{name: [document.metadata.get(name) for document in documents] for name in fields}})
