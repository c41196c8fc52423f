"""TRF, FIDE's Tournament Report File: its codes, an event in a file, and the reader."""
