"""The schema of exports, for every test that has one."""

from typing import Any

from jsonschema import Draft202012Validator
from rumble_server.web.api.export_models import export_schema

SCHEMA = Draft202012Validator(export_schema())


def check_export(document: Any) -> None:
    """Raise an error unless the document is as its schema says."""
    SCHEMA.validate(document)
