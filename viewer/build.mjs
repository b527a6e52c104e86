// Bundles the page: TypeScript and style in, one HTML template out, and the same as a C++ source
// for the library. The policy in its head names the hashes of the only script and style that may run.
//   node build.mjs [--html FILE] [--cpp FILE] [--tests FOLDER]
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const options = Object.fromEntries(
  process.argv
    .slice(2)
    .flatMap((word, k, all) => (word.startsWith('--') ? [[word.slice(2), resolve(all[k + 1])]] : [])),
);
const common = { bundle: true, minify: true, target: 'es2022', legalComments: 'none', write: false };

async function bundled(entry, more = {}) {
  const { outputFiles } = await build({
    ...common,
    format: 'iife',
    entryPoints: [join(here, entry)],
    ...more,
  });
  return outputFiles[0].text.trim();
}

/// `import source from 'worker-source'` gives the bundled worker as text.
const workerPlugin = {
  name: 'worker-source',
  setup(b) {
    b.onResolve({ filter: /^worker-source$/ }, () => ({ path: 'worker-source', namespace: 'worker' }));
    b.onLoad({ filter: /.*/, namespace: 'worker' }, async () => ({
      contents: await bundled('src/worker.ts'),
      loader: 'text',
    }));
  },
};

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

async function template() {
  const script = await bundled('src/main.ts', { plugins: [workerPlugin] });
  const style = await bundled('src/style.css', { format: undefined });
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error('the bundle would end its own element');
  return readFileSync(join(here, 'src/page.html'), 'utf8')
    .replace('__SCRIPT_HASH__', () => hash(script))
    .replace('__STYLE_HASH__', () => hash(style))
    .replace('__STYLE__', () => style)
    .replace('__SCRIPT__', () => script);
}

/// Bytes as string literals of a few thousand characters: short to compile, and within every limit.
function asCpp(text) {
  const escaped = (byte) => {
    const c = String.fromCharCode(byte);
    if (c === '"' || c === '\\' || c === '?') return '\\' + c;
    return byte >= 32 && byte < 127 ? c : '\\' + byte.toString(8).padStart(3, '0');
  };
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let at = 0; at < bytes.length; at += 2000)
    lines.push('    "' + [...bytes.subarray(at, at + 2000)].map(escaped).join('') + '"');
  return `// Made from viewer/ by its build.mjs.
#include "viewer/page_template.hpp"

namespace geotherm::detail {
namespace {

constexpr char page[] =
${lines.join('\n')};

}  // namespace

std::string_view page_template() { return {page, sizeof(page) - 1}; }

}  // namespace geotherm::detail
`;
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

if (options.html || options.cpp) {
  const html = await template();
  if (options.html) write(options.html, html);
  if (options.cpp) write(options.cpp, asCpp(html));
}
if (options.tests) {
  const entryPoints = readdirSync(join(here, 'test'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(here, 'test', name));
  await build({
    entryPoints,
    outdir: options.tests,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    outExtension: { '.js': '.mjs' },
    external: ['playwright-core', 'axe-core'],
    plugins: [workerPlugin],
    sourcemap: 'inline',
  });
}
