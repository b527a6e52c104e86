// How long the page takes to show many points, and how smoothly it moves, in a headless Chromium that
// draws by the processor (SwiftShader): the slowest case. Writes its own table.
//   node bench/viewer/measure.mjs [PROGRAM] [--points 100000,1000000] [--out bench/viewer/results.md]
import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../../viewer/chromium.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const option = (name, usual) =>
  words.includes(name) ? words[words.indexOf(name) + 1] : usual;
const program = resolve(
  words[0] && !words[0].startsWith("--")
    ? words[0]
    : join(here, "../../build/geotherm"),
);
const sizes = option("--points", "10000,100000,1000000").split(",").map(Number);
const out = option("--out", join(here, "results.md"));
const repeats = 3;

const median = (list) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const folder = mkdtempSync(join(tmpdir(), "geotherm-bench-"));

async function measure(n) {
  const [data, html] = [
    join(folder, "blobs.npz"),
    join(folder, `page-${n}.html`),
  ];
  execFileSync(program, [
    "synth",
    "blobs",
    "--n",
    String(n),
    "--dim",
    "2",
    "--branches",
    "12",
    "--noise",
    "0.6",
    "-o",
    data,
    "--quiet",
    "--seed",
    "1",
  ]);
  const before = process.hrtime.bigint();
  execFileSync(program, [
    "view",
    `${data}:X`,
    "-o",
    html,
    "--color",
    "label",
    "--quiet",
  ]);
  const writeS = Number(process.hrtime.bigint() - before) / 1e9;
  const runs = [];
  for (let k = 0; k < repeats; ++k) runs.push(await one(html));
  const row = Object.fromEntries(
    Object.keys(runs[0]).map((key) => [
      key,
      median(runs.map((run) => run[key])),
    ]),
  );
  return { n, bytes: statSync(html).size, writeS, ...row };
}

async function one(html) {
  const browser = await launch();
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
  });
  await page.goto("file://" + html, { waitUntil: "commit" });
  await page.waitForFunction(
    () => window.geotherm?.board.stats.completeAt > 0,
    undefined,
    { timeout: 120000 },
  );
  const loaded = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation");
    const { firstFrameAt, completeAt } = window.geotherm.board.stats;
    return {
      firstFrame: firstFrameAt,
      afterLoad: firstFrameAt - entry.domContentLoadedEventStart,
      complete: completeAt,
    };
  });
  await page.waitForTimeout(500);
  const full = await page.evaluate(() => {
    const { board } = window.geotherm;
    const times = [];
    for (let k = 0; k < 5; ++k) {
      const start = performance.now();
      board.draw();
      board.renderer.finish();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[2];
  });
  // Four seconds of dragging; frames of the first second, in which the page finds its pace, do not count.
  const box = await page.locator(".area").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.evaluate(() => {
    window.frames_seen = [];
    const begin = performance.now();
    let last = begin;
    const tick = (now) => {
      window.frames_seen.push([
        now - begin,
        now - last,
        window.geotherm.board.stats.drawn,
      ]);
      last = now;
      if (now - begin < 4000) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const begin = Date.now();
  for (let k = 0; Date.now() - begin < 4000; ++k)
    await page.mouse.move(
      box.x + box.width / 2 + 150 * Math.sin(k / 9),
      box.y + box.height / 2 + 90 * Math.cos(k / 7),
    );
  await page.mouse.up();
  const frames = (await page.evaluate(() => window.frames_seen)).filter(
    ([at]) => at > 1000,
  );
  await page.waitForTimeout(400);
  const hover = await page.evaluate(() => {
    const { board } = window.geotherm;
    const panel = board.panels[0];
    board.pointAt(panel, 10, 10); // makes the grid
    const start = performance.now();
    for (let k = 0; k < 100; ++k) board.pointAt(panel, 200 + k, 300);
    return (performance.now() - start) / 100;
  });
  await browser.close();
  const gaps = frames.map(([, gap]) => gap).sort((a, b) => a - b);
  return {
    firstFrame: loaded.firstFrame,
    afterLoad: loaded.afterLoad,
    complete: loaded.complete,
    full,
    fps: 1000 / (gaps.reduce((a, b) => a + b) / gaps.length),
    late: gaps[Math.floor(0.95 * gaps.length)],
    drawn: median(frames.map(([, , drawn]) => drawn)),
    hover,
  };
}

const load = loadavg()[0];
const rows = [];
for (const n of sizes) {
  rows.push(await measure(n));
  console.log(JSON.stringify(rows.at(-1)));
}
rmSync(folder, { recursive: true });
const version = execFileSync(
  process.env.CHROMIUM ?? "/usr/bin/chromium",
  ["--version"],
  { encoding: "utf8" },
).trim();
const count = (x) => Math.round(x).toLocaleString("en-US");
const empty = readFileSync(join(here, "../../build/viewer/page.html")).length;
const table = rows.map(
  (r) =>
    `| ${count(r.n)} | ${(r.bytes / 1e6).toFixed(1)} MB | ${((r.bytes - empty) / r.n).toFixed(1)} | ${r.writeS.toFixed(1)} s | ${(r.firstFrame / 1000).toFixed(2)} s | ${(r.afterLoad / 1000).toFixed(2)} s | ${(r.complete / 1000).toFixed(2)} s | ${r.full.toFixed(0)} ms | ${r.fps.toFixed(0)} | ${r.late.toFixed(0)} ms | ${count(r.drawn)} | ${r.hover.toFixed(2)} ms |`,
);
writeFileSync(
  out,
  `# The page with many points

Written by \`bench/viewer/measure.mjs\`: medians of ${repeats} runs. One flat map of 12 groups with a column of groups, panel of 960 x 700 pixels,
${version}, drawing by the processor (SwiftShader) on ${cpus().length} cores (${cpus()[0].model.trim()}),
load average ${load.toFixed(0)} at the start: the load of others, where it is above the number of cores, slows every figure.

| points | file | bytes per point | written in | first frame after opening | after the document is read | all points there | all points drawn again in | frames a second, dragging | 95 % of them within | points drawn while dragging | nearest point found in |
|---|---|---|---|---|---|---|---|---|---|---|---|
${table.join("\n")}

The first frame shows a fair sample (buffers are in random order), and the rest follows part by part, so that the page answers all the while; the
same holds while the view moves and when it comes to rest. What limits: by the processor, every point costs a vertex and some fragments.
`,
);
