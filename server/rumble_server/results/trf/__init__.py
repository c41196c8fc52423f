"""TRF, FIDE's Tournament Report File: its codes, the event in a file, and the reader."""
