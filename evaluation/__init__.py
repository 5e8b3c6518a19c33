"""Runs: encode with a cache, score, rank, summarise, write the run file."""
