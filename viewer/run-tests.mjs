// Runs one kind of the viewer's tests: types, units, or browser (which needs GEOTHERM_PROGRAM and
// Chromium, and says so where one is missing).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kind = process.argv[2];
const out = join(here, 'node_modules/.cache', `tests-${kind}-${process.pid}`);
const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: here });
  if (status !== 0) process.exitCode = status ?? 1;
  return status === 0;
};

if (kind === 'types') {
  run('node_modules/typescript/bin/tsc', '--noEmit');
} else {
  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  if (kind === 'browser' && !chromium) {
    console.log('SKIPPED: no Chromium at /usr/bin/chromium (scripts/setup.sh installs it)');
  } else if (run('build.mjs', '--tests', out)) {
    process.env.CHROMIUM = chromium;
    process.env.VIEWER_DIR = here;
    const files = readdirSync(out).filter(
      (name) => name.endsWith('.mjs') && name.startsWith('browser') === (kind === 'browser'),
    );
    run('--test', '--test-concurrency=1', ...files.map((name) => join(out, name)));
  }
}
spawnSync('rm', ['-rf', out]);
