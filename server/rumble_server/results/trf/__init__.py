"""TRF, FIDE's Tournament Report File: its codes, an event as a file tells it, and the reader."""
