"""A fresh Debian in a folder, by debootstrap and chroot: where packages are tried as a stranger's machine would have them."""

import os
import shutil
import subprocess
from pathlib import Path

SUITE = "bookworm"


def can_be_made() -> bool:
    return os.geteuid() == 0 and shutil.which("debootstrap") is not None


class FreshDebian:
    """A root folder; commands run in it with an environment of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    def start(self, suite: str = SUITE):
        subprocess.run(["debootstrap", "--variant=minbase", suite, self.folder], check=True, stdout=subprocess.DEVNULL)
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")
        (self.folder / "usr/local/bin").mkdir(parents=True, exist_ok=True)
        return self

    def install(self, *packages: str):
        self.run(["apt-get", "update", "-qq"])
        self.run(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages])

    def put(self, source: Path, into: str) -> str:
        """The path inside of a copy of a file or folder."""
        target = self.folder / into.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", source, target], check=True)
        return f"/{into.strip('/')}/{source.name}"

    def run(self, command: list[str], at: str = "/") -> str:
        """What the command said, output and messages."""
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        authority = os.environ.get("SSL_CERT_FILE")
        if authority:  # of a network that signs for others
            shutil.copy(authority, self.folder / "etc/authority.pem")
            environment |= dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS"), "/etc/authority.pem")
        # A mount namespace of its own: /proc is gone with the command, before the folder is removed.
        inside = 'mount -t proc proc "$0/proc" && exec chroot "$0" env -C "$@"'
        words = ["unshare", "--mount", "sh", "-c", inside, str(self.folder), at, *command]
        done = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\nfailed with {done.returncode}:\n{done.stdout[-3000:]}")
        return done.stdout
