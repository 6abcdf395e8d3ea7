"""Programs that read the same Parquet file and write Parquet with zstd, each as its users would write it.

Each is run as `python -m benchmarks.contestants.NAME IN OUT`, where OUT is a folder.
"""
