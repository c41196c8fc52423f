"""The FIDE Dutch System in force since 1 February 2026 (Handbook C.04.3), with py4swiss's compiled matching. Pure."""
