"""`ChunkDocuments` for Beam YAML, as yaml/providers.yaml names it."""

# No `from __future__ import annotations`: Beam reads the configuration's types from the signature, and its
# documentation from the docstring; and to its schemas, `str | None` is opaque.
# ruff: noqa: UP045

from collections.abc import Sequence
from typing import Any, Optional

import apache_beam as beam
from apache_beam.yaml.yaml_errors import ErrorHandlingConfig
from sentchunk import Limits

from .rows import ChunkRows, fail


class ChunkDocumentsYaml(beam.PTransform):
    """Packs the sentences of documents into chunks, whole sentences only, with their exact offsets.

    A row comes in for each document, and a row goes out for each chunk, with the fields `chunk_id`, `document_id`,
    `chunk_index`, `text`, `start`, `end` (half-open, in the unit), `size`, `first_sentence`, `sentence_count`,
    `oversized` (a single sentence that is larger than `max_size` is never cut), and the kept fields. Sentences are
    those of Unicode 17.0.0 (UAX #29).

    A document that cannot be chunked goes to the output that `error_handling` names, as a row with `document_id`,
    `code` (`limit_exceeded`, `null_text`, `invalid_utf8`, `null_id`, and `wrong_type` for a text that is neither a
    string nor bytes), `limit_name`, `limit`, `figure`, `byte_position` and `message`. Without `error_handling` it fails the pipeline.

    Args:
      max_size: The largest size of a chunk, from 1 to 1048576, in the unit.
      unit: What sizes and offsets count: `code_point`, `utf16` (code units, as in JavaScript and Java) or `utf8`
        (bytes). Default: `code_point`.
      overlap: Up to how many whole sentences of the previous chunk, as many as fit, to repeat, from 0 to 16.
        Default: 0.
      text: The field that holds the document, a string or bytes. Default: `text`.
      id: The field that becomes `document_id`. If null, the id is a hash of the text. Default: `id`.
      keep: Fields to carry along to each chunk of their document, types unchanged. Default: none.
      drop_blank: Whether to leave out chunks of white space only. The others keep their index. Default: false.
      max_text_bytes: A document of more UTF-8 bytes is an error. If null, there is no limit. Default: 262144.
      max_sentences: A document of more sentences is an error. If null, there is no limit. Default: 65536.
      max_output_bytes: A document whose chunks have more bytes as JSON is an error. If null, there is no limit.
        Default: 4194304.
      error_handling: The name of the output for documents that cannot be chunked. Default: none, they fail the
        pipeline.
    """

    def __init__(
        self,
        max_size: int,
        unit: str = "code_point",
        overlap: int = 0,
        text: str = "text",
        id: Optional[str] = "id",
        keep: Optional[Sequence[str]] = None,
        drop_blank: bool = False,
        max_text_bytes: Optional[int] = Limits().max_text_bytes,
        max_sentences: Optional[int] = Limits().max_sentences,
        max_output_bytes: Optional[int] = Limits().max_output_bytes,
        error_handling: Optional[ErrorHandlingConfig] = None,
    ) -> None:
        super().__init__()
        self._chunk = ChunkRows(
            max_size=max_size,
            unit=unit,  # type: ignore[arg-type]  # a str to Beam's schemas, which know no Literal; ChunkSpec refuses any other
            overlap=overlap,
            limits=Limits(max_text_bytes, max_sentences, max_output_bytes),
            text=text,
            id=id,
            keep=keep or (),
            drop_blank=drop_blank,
        )
        self._error_handling: Any = error_handling

    def expand(self, documents: beam.PCollection) -> Any:
        chunks, dead_letters = documents | self._chunk
        if self._error_handling:
            return {"good": chunks, self._error_handling["output"]: dead_letters}
        dead_letters | "Fail" >> beam.Map(fail)
        return chunks
