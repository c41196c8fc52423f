"""The routes that only hosts may use, with a host token."""
