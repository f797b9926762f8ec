"""Pipeline steps of datatrove that forward the documents that are no duplicates.

    LocalPipelineExecutor(pipeline=[JsonlReader("data"), pyrefrain.datatrove.Dedup(), JsonlWriter("clean")],
                          tasks=1).run()

Unseen("seen.library") does the same for any number of tasks, which share a library.
"""

from __future__ import annotations

import contextlib
import os
import random
import time

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.typeshelper import StatHints

from . import errors
from ._library import Library, batches
from ._verbs import _fields, check_dedup_options, dedup

__all__ = ["Dedup", "Unseen"]


class _Step(PipelineStep):
    type = "🫂 - DEDUP"

    def __init__(self, exclusion_writer):
        super().__init__()
        self.exclusion_writer = exclusion_writer

    def forwarded(self, document: Document):
        self.stat_update(StatHints.total, StatHints.forwarded)
        self.update_doc_stats(document)
        return document

    def drop(self, document: Document, reason, match, writer, rank):
        self.stat_update(StatHints.total, StatHints.dropped, f"dropped_{reason}")
        if writer:
            document.metadata["filter_reason"] = reason
            document.metadata["match"] = match
            writer.write(document, rank)


class Dedup(_Step):
    """Drops duplicates. Takes the options of pyrefrain.dedup(); the columns that `keep` and `source_field` name are
    metadata.

    All documents are compared with each other, so they must pass through a single task, which holds them in memory.
    Unknown options, values that no option has, and options without an effect are refused before it runs.
    """

    name = "🎵 pyrefrain"

    def __init__(self, exclusion_writer: DiskWriter | None = None, **options):
        super().__init__(exclusion_writer)
        check_dedup_options(options)
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
                if decision["keep"]:
                    document.text = next(texts)
                    yield self.forwarded(document)
                else:
                    match = decision["match"]
                    self.drop(document, decision["reason"], None if match is None else documents[match].id, writer, rank)

    def _columns(self, documents: list[Document]):
        texts = [document.text for document in documents]
        fields = _fields(self.options)
        if not fields:
            return texts
        import pyarrow

        return pyarrow.table({"text": texts,
                              **{name: [document.metadata.get(name) for document in documents] for name in fields}})


class Unseen(_Step):
    """Drops documents that a library knows, and adds the others to it under their ids, which must be unique. Takes the
    options of pyrefrain.Library().

    Any number of tasks on one machine share the library: they take turns, `batch` documents at a time. The document
    that comes first is kept. A task may be run again: a document that is in the library under its own id is forwarded.
    """

    name = "🎵 pyrefrain, unseen"

    def __init__(self, library: str | os.PathLike[str], exclusion_writer: DiskWriter | None = None,
                 batch: int = 10_000, **options):
        super().__init__(exclusion_writer)
        self.library = Library(library, **options)
        self.batch = batch

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        with self.exclusion_writer or contextlib.nullcontext() as writer:
            for documents in batches(data, self.batch):
                with self.track_time():
                    answers = self._added(documents)
                for document, answer in zip(documents, answers):
                    if answer["status"] in ("new", None) or answer["match"] == document.id:
                        yield self.forwarded(document)
                    else:
                        self.drop(document, answer["status"], answer["match"], writer, rank)

    def _added(self, documents):
        while True:
            try:
                with self.library as library:
                    return library.add([document.text for document in documents],
                                       id=[document.id for document in documents])
            except errors.Busy:  # another task has its turn
                time.sleep(random.uniform(0.01, 0.1))
