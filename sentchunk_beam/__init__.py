"""The Beam layer of sentchunk: read, chunk, write, reject."""
