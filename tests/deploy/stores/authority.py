"""A certificate authority of a test's own, and a server's certificate that it signed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

LEAF = "subjectAltName=IP:127.0.0.1,DNS:localhost"


@dataclass(frozen=True)
class Authority:
    """The files of one. `certificate` is all that a client needs."""

    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.pem"

    def listener(self, port: int) -> list[str]:
        """Return the options with which Redis listens over TLS alone, and talks so to other servers."""
        files = ["--tls-cert-file", str(self.folder / "server.pem"), "--tls-key-file", str(self.folder / "server.key")]
        peers = [
            "--tls-ca-cert-file",
            str(self.certificate),
            "--tls-replication",
            "yes",
            "--tls-cluster",
            "yes",
            "--tls-auth-clients",
            "no",
        ]
        return ["--port", "0", "--tls-port", str(port), *files, *peers]


def authority_make(folder: Path) -> Authority:
    folder.mkdir(parents=True)

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "rsa:2048", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=An authority of the tests")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=redis")
    (folder / "leaf").write_text(LEAF)
    signed_by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
    openssl("x509", "-req", "-in", "server.csr", *signed_by, "-out", "server.pem", "-days", "2", "-extfile", "leaf")
    return Authority(folder)
