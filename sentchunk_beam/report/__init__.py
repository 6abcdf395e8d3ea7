"""What a finished job's folder holds, as facts and as a page. Everything is streamed; nothing grows with the corpus."""
