"""Explains connection failures that TLS or the lack of TLS has caused, with advice for the user."""

import socket
import ssl
from dataclasses import replace

from rumble_bots.sdk.address import Address

PROBE_S = 2.0
"""Maximum time in s for finding out whether a server speaks TLS."""
UNHEARD = (ConnectionRefusedError, TimeoutError, socket.gaierror)
"""Errors at an address where no server answers. No probe for TLS follows them."""
OTHER_NAME = (62, 64)
"""OpenSSL's error codes for a certificate that does not name the server's host or IP address. To trust such a
certificate would not help, so the advice to trust a certificate is left out."""


def tls_trouble(error: BaseException, server: Address) -> str:
    """Return the reason for `error`, with advice, if TLS or the lack of TLS caused the error; else an empty text."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, (ssl.SSLError, *UNHEARD)):
        cause = cause.__cause__ or cause.__context__
    if not server.secure:
        secure = replace(server, secure=True).http_base
        return f"{server.http_base} speaks TLS: write {secure}" if cause is None and _speaks_tls(server) else ""
    if not isinstance(cause, ssl.SSLError):
        return ""
    if not isinstance(cause, ssl.SSLCertVerificationError):
        plain = replace(server, secure=False).http_base
        return f"{server.http_base} does not speak TLS ({cause.reason}): write {plain}"
    problem = f"this machine does not trust the certificate of {server.http_base}: {cause.verify_message}"
    return problem if cause.verify_code in OTHER_NAME else f"{problem}; SSL_CERT_FILE=FILE.pem names one to trust"


def _speaks_tls(server: Address) -> bool:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((server.host, server.port), PROBE_S) as opened,
            context.wrap_socket(opened, server_hostname=server.host),
        ):
            return True
    except OSError:
        return False
