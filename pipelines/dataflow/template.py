"""The job as a Dataflow Flex Template: its launcher gives every parameter as `--name=value`, with underscores.

python pipelines/dataflow/template.py --input=gs://…,gs://… --output=gs://… --max_size=1000 [any Beam option]
"""

from __future__ import annotations

import sys

from sentchunk_beam.cli import main, parser
from sentchunk_beam.commands.options import option_names


def arguments_of(given: list[str]) -> list[str]:
    """The arguments of `sentchunk chunk`: inputs without an option's name, our options with hyphens, flags bare."""
    ours = option_names(parser())
    found: list[str] = []
    for each in given:
        name, _, value = each.partition("=")
        hyphened = name.replace("_", "-")
        if name == "--input":
            found += value.split(",")
        elif hyphened not in ours:
            found.append(each)  # Beam's
        elif value == "true":
            found.append(hyphened)
        elif value not in ("", "false"):  # a field that was left empty in the console
            found.append(f"{hyphened}={value}")
    return found


if __name__ == "__main__":
    sys.exit(main(["chunk", "--runner=DataflowRunner", *arguments_of(sys.argv[1:])]))
