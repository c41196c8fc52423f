"""Certificates for 127.0.0.1 from an authority that each test makes, and that only its own clients trust."""

import ssl
from pathlib import Path

import trustme


class Authority:
    """An authority that issues certificates; `context` is a client's TLS context that trusts it."""

    def __init__(self) -> None:
        self._ca = trustme.CA()
        self.pem = self._ca.cert_pem.bytes()
        self.context = ssl.create_default_context()
        self._ca.configure_trust(self.context)

    def issue(
        self, folder: Path, name: str = "127.0.0.1", key_type: trustme.KeyType = trustme.KeyType.ECDSA
    ) -> tuple[str, str]:
        """Write a certificate with its chain, and its key, over older files; return the two paths."""
        cert, key, leaf = folder / "cert.pem", folder / "key.pem", self._ca.issue_cert(name, key_type=key_type)
        cert.write_bytes(b"".join(blob.bytes() for blob in leaf.cert_chain_pems) + self.pem)
        leaf.private_key_pem.write_to_path(key)
        return str(cert), str(key)
