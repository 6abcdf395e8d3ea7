"""The job of `sentchunk chunk`, as a file for a runner to submit:

python pipelines/chunk_parquet.py INPUT... --output DIR --max-size N --runner=RUNNER [any Beam option]
"""

import sys

from sentchunk_beam.cli import main

if __name__ == "__main__":
    sys.exit(main(["chunk", *sys.argv[1:]]))
