// The parts of the page that need no browser.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { test } from 'node:test';
import { alignFlat, center } from '../src/align.ts';
import { Camera } from '../src/camera.ts';
import { channelsOf, histogram, rangeOf } from '../src/channels.ts';
import { blend, cssColor, groupColor, parseColor, ramp } from '../src/colors.ts';
import { csvCell } from '../src/csv.ts';
import { PageStore, placesOf, type Head } from '../src/data.ts';
import { shortNumber } from '../src/dom.ts';
import { Grid, insideLasso, isInside, nearestOnScreen } from '../src/picking.ts';
import { keptNeighbors, listOf } from '../src/point_section.ts';
import { randomOrder } from '../src/renderer.ts';
import { dimOthers, pack, paintGroups, paintNumbers, paintTwo } from '../src/shading.ts';
import { treeOf } from '../src/trajectory.ts';

const packed = (array: ArrayBufferView): string =>
  deflateSync(Buffer.from(array.buffer, array.byteOffset, array.byteLength)).toString('base64');

function randomPlaces(n: number, seed = 1): Float32Array {
  let state = seed;
  const next = (): number => (state = (state * 16807) % 2147483647) / 2147483647;
  const places = new Float32Array(3 * n);
  for (let i = 0; i < n; ++i) {
    places[3 * i] = 2 * next() - 1;
    places[3 * i + 1] = 2 * next() - 1;
  }
  return places;
}

test('blocks are decoded once each, and sparse columns are filled up with zeros', async () => {
  let asked = 0;
  const blocks = [
    packed(new Uint16Array([0, 65535, 30000, 0, 100, 200])),
    packed(new Uint32Array([2])),
    packed(new Float32Array([7.5])),
    packed(Buffer.from('a\nb </script>\n')),
  ];
  const ref = (block: number, type: 'u16' | 'u32' | 'f32' | 'text', length: number) => ({
    block,
    type,
    length,
  });
  const head = { format: 1, n: 3, names: ref(3, 'text', 3), panels: [], columns: [] } as unknown as Head;
  const store = new PageStore(head, (block) => (++asked, blocks[block]));
  const coords = await store.array(ref(0, 'u16', 6));
  await store.array(ref(0, 'u16', 6));
  assert.equal(asked, 1);
  const places = placesOf({ name: '', dims: 2, low: [0, 0], extent: 1, coords: ref(0, 'u16', 6) }, coords, 3);
  assert.ok(Math.abs(places[0] + 1) < 1e-6 && Math.abs(places[3] - 1) < 1e-6);
  const column = {
    name: 'x',
    role: 'feature' as const,
    kind: 'sparse' as const,
    rows: ref(1, 'u32', 1),
    values: ref(2, 'f32', 1),
  };
  assert.deepEqual([...(await store.numbers(column))], [0, 0, 7.5]);
  assert.deepEqual(await store.names(), ['a', 'b </script>', '']);
  assert.throws(() => new PageStore({ ...head, format: 2 }, () => ''), /format 2/);
});

test('a map that was turned, or mirrored, is turned back onto the first', () => {
  for (const mirror of [1, -1]) {
    const fixed = randomPlaces(500);
    center(fixed);
    const moved = new Float32Array(fixed.length);
    const [c, s] = [Math.cos(2), Math.sin(2)];
    for (let i = 0; i < 500; ++i) {
      const [x, y] = [fixed[3 * i], mirror * fixed[3 * i + 1]];
      moved[3 * i] = c * x - s * y;
      moved[3 * i + 1] = s * x + c * y;
    }
    alignFlat(fixed, moved);
    for (let k = 0; k < fixed.length; ++k) assert.ok(Math.abs(fixed[k] - moved[k]) < 1e-4); // float32
  }
});

test('pixels and places are each other\u2019s inverse, and zoom keeps the place under the pointer', () => {
  const camera = new Camera(false);
  camera.width = 640;
  camera.height = 480;
  camera.pan(30, -20);
  camera.zoomAt(100, 200, 3);
  const [x, y] = camera.toPlane(100, 200);
  const [sx, sy] = camera.toScreen(x, y, 0);
  assert.ok(Math.hypot(sx - 100, sy - 200) < 1e-9);
  camera.zoomAt(100, 200, 1.7);
  const [tx, ty] = camera.toScreen(x, y, 0);
  assert.ok(Math.hypot(tx - 100, ty - 200) < 1e-9);
  const deep = new Camera(true);
  deep.rotate(0.7, -0.2);
  const r = deep.rotation;
  assert.ok(Math.abs(r[0] ** 2 + r[1] ** 2 + r[2] ** 2 - 1) < 1e-12, 'a rotation keeps lengths');
});

test('the grid finds the point that a look at all points finds', () => {
  const places = randomPlaces(3000);
  const grid = new Grid(places);
  const camera = new Camera(false);
  camera.width = camera.height = 500;
  for (let k = 0; k < 200; ++k) {
    const [sx, sy] = [(k * 37) % 500, (k * 91) % 500];
    const [x, y] = camera.toPlane(sx, sy);
    const counts = (i: number): boolean => i % 3 !== 0;
    assert.equal(grid.nearest(x, y, 20 / camera.scale, counts), nearestOnScreen(places, camera, sx, sy, 20, counts));
  }
});

test('a lasso takes what is inside, by the even-odd rule', () => {
  const star = [0, 0, 10, 0, 10, 10, 5, 5, 0, 10];
  assert.ok(isInside(star, 2, 2) && isInside(star, 9, 8));
  assert.ok(!isInside(star, 5, 9) && !isInside(star, -1, 5));
  const camera = new Camera(false);
  camera.width = camera.height = 200;
  const places = new Float32Array([0, 0, 0, 0.9, 0.9, 0]);
  assert.deepEqual(
    insideLasso(places, camera, [80, 80, 120, 80, 120, 120, 80, 120], () => true),
    [0],
  );
});

test('columns of one name that speak about their own panels are one channel', () => {
  const number = {
    kind: 'number' as const,
    role: 'trust' as const,
    values: { block: 0, type: 'f32' as const, length: 1 },
  };
  const channels = channelsOf([
    { ...number, name: 'distortion', panel: 0 },
    { ...number, name: 'distortion', panel: 1 },
    { ...number, name: 'other' },
  ]);
  assert.deepEqual(
    channels.map((c) => [c.label, c.columns.length]),
    [
      ['distortion', 2],
      ['other', 1],
    ],
  );
});

test('a few outliers do not take the colours from the many, and nothing is lost from a histogram', () => {
  const values = new Float32Array(1000).map((_, i) => i / 1000);
  values[3] = 1e6;
  values[4] = NaN;
  const { full, shown } = rangeOf([values]);
  assert.equal(full.high, 1e6);
  assert.ok(shown.high < 2);
  assert.equal(
    histogram(values, full, 40).reduce((a, b) => a + b),
    999,
  );
  assert.deepEqual(rangeOf([new Float32Array([NaN])]).full, { low: 0, high: 1 });
});

test('groups, numbers and pairs of numbers get their colours; hidden ones none', () => {
  const out = new Uint32Array(4);
  paintGroups([0, 1, 0, 2], new Set([1]), false, out);
  assert.equal(out[0], pack(groupColor(0, false), 255));
  assert.equal(out[1], 0);
  const colors = ramp('viridis', false);
  paintNumbers(new Float32Array([0, 1, NaN, 5]), 0, 1, colors, { low: 0, high: 2 }, false, out);
  assert.equal(out[0] & 0xffffff, pack([colors[0], colors[1], colors[2]], 0));
  assert.equal(out[2], 0, 'a filter hides what is missing');
  assert.equal(out[3], 0, 'and what lies outside');
  dimOthers(new Uint8Array([1, 0, 0, 0]), out);
  assert.equal(out[0] >>> 24, 255);
  assert.ok(out[1] >>> 24 > 0 && out[1] >>> 24 < 128);
  assert.equal(out[2], 0);
  const range = { low: 0, high: 1 };
  paintTwo(new Float32Array([0, 1, 0, 1]), new Float32Array([0, 0, 1, 1]), [range, range], false, out);
  assert.equal(new Set(out).size, 4, 'neither, one, the other, both');
});

test('palettes can be told apart: no two groups of twenty are near, scales rise in lightness', () => {
  const distance = (a: readonly number[], b: readonly number[]): number =>
    Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  for (const isDark of [false, true]) {
    for (let a = 0; a < 20; ++a)
      for (let b = 0; b < a; ++b) assert.ok(distance(groupColor(a, isDark), groupColor(b, isDark)) > 24, `${a} ${b}`);
    for (const scale of ['viridis', 'cividis', 'inferno'] as const) {
      const colors = ramp(scale, false, isDark);
      const light = (k: number): number =>
        0.2126 * colors[3 * k] + 0.7152 * colors[3 * k + 1] + 0.0722 * colors[3 * k + 2];
      for (let k = 16; k < 256; k += 16) assert.ok(light(k) > light(k - 16) - 1, `${scale} at ${k}`);
    }
  }
  assert.deepEqual(parseColor(cssColor([1, 128, 255])), [1, 128, 255]);
  assert.ok(blend(1, 1, true)[0] > blend(0, 0, true)[0] && blend(1, 1, false)[0] < blend(0, 0, false)[0]);
});

test('the drawing order is a permutation, and the same each time', () => {
  const order = randomOrder(1000);
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    [...Array(1000).keys()],
  );
  assert.deepEqual(order, randomOrder(1000));
  assert.ok(
    order.slice(0, 100).some((x) => x > 800),
    'the first hundred come from everywhere',
  );
});

test('kept neighbours are counted among as many nearest in the map', () => {
  const line = new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 9, 0, 0]);
  assert.equal(keptNeighbors(line, 0, [1, 2]), 2);
  assert.equal(keptNeighbors(line, 0, [1, 4]), 1);
});

test('a point without a list of neighbours gets that of the sampled point nearest in the map', () => {
  const line = new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 9, 0, 0]);
  assert.equal(listOf(3, null, line), 3);
  assert.equal(listOf(3, [0, 3, 4], line), 1);
  assert.equal(listOf(2, [0, 3, 4], line), 1);
  assert.equal(listOf(1, [0, 3, 4], line), 0);
});

test('cells of a table are quoted where they must be, and numbers are short', () => {
  assert.equal(csvCell('a,"b"\n'), '"a,""b""\n"');
  assert.equal(csvCell('plain'), 'plain');
  assert.deepEqual([0, 0.25, 1234.5, -3.2e-7, NaN, 1e9].map(shortNumber), [
    '0',
    '0.25',
    '1,235',
    '\u22123.2e\u22127',
    'missing',
    '1.0e9',
  ]);
});

test('a tree goes through the middle of the points of each edge, and edges meet at milestones', () => {
  const block = { block: 0, type: 'u8' as const, length: 0 };
  const head = {
    pseudotime: 't',
    columns: [],
    milestones: ['M0', 'M1', 'M2', 'M3'],
    edges: [
      [0, 1],
      [1, 2],
      [1, 3],
    ] as [number, number][],
    ends: [2, 3],
    edgeOf: block,
    fraction: block,
  };
  const [edgeOf, fraction, places]: number[][] = [[], [], []];
  for (let k = 0; k <= 255; ++k) {
    const f = k / 255;
    // A trunk along x with a point on either side, and one arm up; edge 3 has no points.
    for (const side of [-0.1, 0, 0.1]) {
      edgeOf.push(1, 2);
      fraction.push(k, k);
      places.push(f, side, 0, 1 + side, f, 0);
    }
  }
  edgeOf.push(0); // a point of none, far away
  fraction.push(0);
  places.push(50, 50, 50);
  const tree = treeOf(head, edgeOf, fraction, new Float32Array(places));
  assert.equal(tree.curves[0].length, 10);
  for (const [x, y] of tree.curves[0].slice(0, 9)) assert.ok(Math.abs(y) < 1e-6 && x >= 0 && x <= 1);
  assert.deepEqual(tree.curves[2], []);
  assert.equal(tree.nodes[3], null);
  assert.deepEqual(tree.curves[0][9], tree.curves[1][0]);
  assert.ok(Math.abs(tree.nodes[2]![0] - 1) < 1e-6 && tree.nodes[2]![1] > 0.9);
});

test('no part of the page turns text into markup or code', () => {
  const folder = join(process.env['VIEWER_DIR'] ?? '.', 'src');
  const ways = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc/;
  for (const file of readdirSync(folder)) {
    assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), ways, file);
  }
});
