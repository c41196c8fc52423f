"""The schema of exports, for all tests with exports."""

from typing import Any

from jsonschema import Draft202012Validator
from rumble_server.web.api.export_models import export_schema

SCHEMA = Draft202012Validator(export_schema())


def check_export(document: Any) -> None:
    """Raise an error unless the document fits the schema."""
    SCHEMA.validate(document)
