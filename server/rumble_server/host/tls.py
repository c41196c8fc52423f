"""The server's TLS certificate, and TLS contexts by which house bots trust the certificate."""

import ssl
from pathlib import Path

BEGIN, END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


class CertificateError(ValueError):
    """The error for a certificate or key that cannot be used. Its text is a line for people."""


class Certificate:
    """A certificate with its key, from PEM files. The files can be read again while connections are open."""

    def __init__(self, cert: str, key: str | None = None) -> None:
        """Read the files. If `key` is None, the file `cert` has the key, too. Raises CertificateError."""
        self.file = cert
        self._key = key
        self._newest, self.leaf = self._read()
        self.context = self._newest
        """The context in which new connections begin. Each handshake goes on in the newest context."""
        self.context.sni_callback = self._use_newest  # called even if the client names no host

    def reload(self) -> None:
        """Read the files again, for new connections.

        Raises CertificateError, and keeps the old certificate in this case.
        """
        # To load the files into the old context would keep the old certificate beside one with another kind of key.
        self._newest, self.leaf = self._read()

    def _use_newest(self, connection: ssl.SSLObject, _host: str | None, _context: ssl.SSLContext) -> None:
        connection.context = self._newest

    def _read(self) -> tuple[ssl.SSLContext, str]:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            leaf = read_leaf(self.file)
            if self._key is not None:
                Path(self._key).open("rb").close()  # the library does not say which of the files cannot be opened
            context.load_cert_chain(self.file, self._key, password=_no_password)
        except ssl.SSLError as error:
            with_key = "" if self._key is None else f" with the key {self._key}"
            raise CertificateError(f"cannot use the certificate {self.file}{with_key}: {_reason(error)}") from None
        except OSError as error:
            raise CertificateError(f"cannot read {error.filename}: {error.strerror}") from None
        return context, leaf


def read_leaf(file: str) -> str:
    """Return the first certificate in a file, without the certificates of its signers.

    Raises OSError and CertificateError.
    """
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    _, begin, rest = text.partition(BEGIN)
    body, end, _ = rest.partition(END)
    if not begin or not end:
        raise CertificateError(f"{file} has no certificate in PEM")
    return f"{begin}{body}{end}\n"


def trusting(*leaves: str) -> ssl.SSLContext:
    """Make a TLS context by which a client accepts a server only if the server's certificate is one of `leaves`.

    Host names are not checked, because a server connects to itself at a loopback address. Checking the
    certificate is enough, because only the server has the certificate's key.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # also trusts a certificate that is not self-signed
    context.load_verify_locations(cadata="".join(dict.fromkeys(leaves)))
    return context


def _no_password() -> str:
    raise CertificateError("the key of the certificate is encrypted; give one without a passphrase")


def _reason(error: ssl.SSLError) -> str:
    match error.reason or "PEM_LIB":
        case "KEY_VALUES_MISMATCH":
            return "they do not belong together"
        case "PEM_LIB" | "NO_START_LINE":
            return "this is no certificate with a key in PEM"
        case reason:
            return reason.replace("_", " ").lower()
