"""Fails on errors and warnings of R CMD check, and on notes that r/README.md does not explain: r_notes.py 00check.log"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(log: str) -> dict[str, str]:
    """The text of each check that ended in a note, by the check's name."""
    blocks = re.split(r"^\* ", log, flags=re.MULTILINE)[1:]
    found = {}
    for block in blocks:
        name = re.match(r"(checking .+?) \.\.\.(?: \[[^\]]*\])?(?:.*?)NOTE$", block.rstrip("\n"), re.MULTILINE | re.DOTALL)
        if name and not re.search(r"\.\.\.(?: \[[^\]]*\])? (OK|INFO|SKIPPED)$", block.splitlines()[0]):
            found[re.sub(r"[‘’']", "", name[1])] = block.split("\n", 1)[-1].rstrip()
    return found


def main() -> int:
    log = Path(sys.argv[1]).read_text(errors="replace")
    status = re.search(r"^Status: (.*)$", log, re.MULTILINE)
    if status is None or re.search("ERROR|WARNING", status[1]):
        print(f"R CMD check: {status[1] if status else 'did not come to its end'}")
        return 1
    said = re.sub(r"[‘’']", "", (ROOT / "r/README.md").read_text())
    found = notes(log)
    unexplained = [name for name in found if name not in said]
    for name, text in found.items():
        print(f"NOTE ({'NOT EXPLAINED' if name in unexplained else 'explained in r/README.md'}): {name}\n{text}")
    print(f"R CMD check: {len(found)} notes, {len(unexplained)} without an explanation in r/README.md")
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
