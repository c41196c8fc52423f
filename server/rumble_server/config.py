"""The configuration of a server.

Every field of `ServerConfig` is a setting. Every field of `limits.bounds.Bounds` is a setting, too, but not the fields
of its base class `Constants`. A setting is an option of `rumble serve`, an environment variable and a key of the
settings file (`cli/support/settings.py`). A field's docstring is the setting's help.
"""

from ipaddress import ip_network
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from rumble_server.host.host_names import LOCAL_HOST_NAMES, host_name, is_loopback, public_origin
from rumble_server.limits.bounds import Bounds, Whole
from rumble_server.limits.guesses import SHORTEST_TOKEN

LogLevel = Literal["debug", "info", "warning", "error"]


def _network(text: str) -> str:
    """Return `text` unchanged if it is an address or a network. Raises ValueError for any other text."""
    ip_network(text)
    return text


def _words(value: Any) -> Any:
    """Split texts at commas. Return any other value unchanged, for the model to refuse."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return value
    return [word for text in texts for part in text.split(",") if (word := part.strip())]


Words = BeforeValidator(_words)
"""The validator that reads a list of texts, or a text with commas, as a list of words."""


class ServerConfig(BaseModel):
    """The settings of `rumble serve`. A bad value raises ValidationError."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)

    host: str = "127.0.0.1"
    """Address to listen on; 0.0.0.0 for every address of the machine."""
    port: Annotated[Whole, Field(ge=0, le=65_535)] = 8765
    """Port to listen on; 0 takes a free port."""
    host_token: Annotated[str, Field(min_length=8, max_length=256)] | None = None
    """Token for hosting in main, in place of the token `default` that the first start makes."""
    db: str = "rumble.db"
    """Database: a path, sqlite:///relative, sqlite:////absolute, or postgresql://USER@HOST/NAME."""

    public_url: Annotated[str, AfterValidator(public_origin)] | None = None
    """Address of the pages for people on other machines, such as https://rumble.example, for links and commands."""
    node_address: Annotated[str, AfterValidator(public_origin)] | None = None
    """Address at which proxies reach this server, such as http://10.0.0.3:8765, if several nodes share a PostgreSQL
    database."""
    admin_token: Annotated[str, Field(min_length=8, max_length=256)] | None = None
    """Token of the administrator of all clubs, in place of the token that the first start makes."""
    house: tuple[str, ...] = ()
    """House bots that can always be challenged: reference bots or FILE.py:FUNCTION, separated by commas, or none."""
    open_names: bool = False
    """Let bots from other machines log in without a key, too."""
    allowed_hosts: Annotated[frozenset[Annotated[str, AfterValidator(str.lower)]], Words] = frozenset()
    """Host names allowed in requests that a proxy on this machine passes on. The name in public_url is allowed, too."""
    behind_proxy: Annotated[frozenset[Annotated[str, AfterValidator(_network)]], Words] = frozenset()
    """Addresses and networks of proxies that are believed about the address, the scheme and the host of a request."""
    grace_ms: Annotated[Whole, Field(ge=0)] = 30_000
    """Time in ms after a start, for bots to come back to matches in progress. In this time, no bot is charged for being
    absent or away, and the clock of a bot that is away stands still."""
    drain_ms: Annotated[Whole, Field(ge=0)] = 5_000
    """Time in ms that running matches have to finish at a stop; unfinished matches go on after the next start."""

    tls_cert: str | None = None
    """File with the server's certificate and its chain (PEM): serve HTTPS. Read again on SIGHUP."""
    tls_key: str | None = None
    """File with the key of the certificate (PEM); by default the file of the certificate has the key."""

    log_level: LogLevel = "info"
    """Lowest level of logged events: debug, info, warning or error."""
    log_json: bool = False
    """Log each event as a line with a JSON object."""
    audit_log: str | None = None
    """File for logins, refusals and host commands, a new file each day (UTC); by default standard error has them."""
    metrics_token: Annotated[str, Field(min_length=12, max_length=256)] | None = None
    """Token that may read /metrics from other machines, beside the host token."""

    bounds: Bounds = Field(default_factory=Bounds)
    """Bounds of a connection, an address, a name, a match and a club."""

    @property
    def host_names(self) -> frozenset[str]:
        """Host names allowed in requests to a loopback address, in addition to the names of loopback itself."""
        if self.public_url is None:
            return self.allowed_hosts
        return self.allowed_hosts | {host_name(self.public_url.partition("//")[2])}

    @field_validator("host_token", "admin_token")
    @classmethod
    def _is_long_enough(cls, token: str | None, info: ValidationInfo) -> str | None:
        host = info.data.get("host", "")
        if token is not None and len(token) < SHORTEST_TOKEN and not (is_loopback(host) or host in LOCAL_HOST_NAMES):
            raise ValueError(f"beyond this machine a token has at least {SHORTEST_TOKEN} characters")
        return token

    @field_validator("tls_key")
    @classmethod
    def _has_certificate(cls, key: str | None, info: ValidationInfo) -> str | None:
        if key is not None and info.data.get("tls_cert") is None:
            raise ValueError("a key without a certificate; give `tls_cert`, too")
        return key
