// Heat in the page against the dense exponential.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advance, buildOperator, diagonalAt, distancesFrom, sliderTimes } from '../src/heat.ts';

/// A ring of n places with weights around 1 and some chords: every edge once, from < to.
function ring(n: number): { counts: number[]; targets: number[]; weights: number[]; dense: number[][] } {
  const dense = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let i = 0; i < n; ++i) {
    for (const [step, weight] of [
      [1, 1 + 0.3 * Math.sin(i)],
      [5, i % 4 === 0 ? 0.2 : 0],
    ] as const) {
      const j = (i + step) % n;
      dense[i][j] = dense[j][i] = Math.max(dense[i][j], Math.fround(weight));
    }
  }
  const [counts, targets, weights]: number[][] = [[], [], []];
  dense.forEach((row, i) => {
    const before = targets.length;
    row.forEach((w, j) => {
      if (j > i && w > 0) {
        targets.push(j);
        weights.push(w);
      }
    });
    counts.push(targets.length - before);
  });
  return { counts, targets, weights, dense };
}

/// exp(-tL) by Taylor's series of a small step and squaring.
function exponential(dense: number[][], t: number, isNormalized: boolean): number[][] {
  const degree = dense.map((row) => row.reduce((a, b) => a + b));
  const multiply = (a: number[][], b: number[][]): number[][] =>
    a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
  const squarings = 14;
  const step = -t / 2 ** squarings;
  const m = dense.map((row, i) =>
    row.map(
      (w, j) =>
        step *
        (isNormalized ? (i === j ? 1 : 0) - w / Math.sqrt(degree[i] * degree[j]) : (i === j ? degree[i] : 0) - w),
    ),
  );
  let result: number[][] = m.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let term = result;
  for (let k = 1; k < 12; ++k) {
    term = multiply(term, m).map((row) => row.map((x) => x / k));
    result = result.map((row, i) => row.map((x, j) => x + term[i][j]));
  }
  for (let k = 0; k < squarings; ++k) result = multiply(result, result);
  return result;
}

for (const laplacian of ['combinatorial', 'normalized', 'random-walk']) {
  test(`heat is right in every entry: ${laplacian}`, () => {
    const { counts, targets, weights, dense } = ring(40);
    const operator = buildOperator(counts, targets, weights, laplacian);
    for (const t of [0.2, 3, 60]) {
      const truth = exponential(dense, t, laplacian !== 'combinatorial')[7];
      const start = new Float64Array(40);
      start[7] = 1;
      const heat = advance(operator, start, t);
      // The dense series keeps 1e-13 or so; entries far above that are compared by ratio.
      for (let j = 0; j < 40; ++j)
        if (truth[j] > 1e-8) assert.ok(Math.abs(heat[j] / truth[j] - 1) < 1e-4, `${j} at ${t}: ${heat[j]} ${truth[j]}`);
    }
  });
}

test('heat that only just arrives is right to its own size, in one step or in many', () => {
  const n = 60;
  const counts = new Array<number>(n).fill(1);
  counts[n - 1] = 0;
  const targets = [...Array(n - 1).keys()].map((i) => i + 1);
  const operator = buildOperator(counts, targets, new Array<number>(n - 1).fill(1), 'combinatorial');
  const start = new Float64Array(n);
  start[0] = 1;
  const once = advance(operator, start, 2);
  let many: Float64Array = start;
  for (let k = 0; k < 8; ++k) many = advance(operator, many, 0.25);
  assert.ok(once[n - 1] > 0 && once[n - 1] < 1e-40);
  for (let i = 0; i < n; ++i) assert.ok(Math.abs(many[i] / once[i] - 1) < 1e-3, `${i}: ${many[i]} ${once[i]}`);
  const total = once.reduce((a, b) => a + b);
  assert.ok(Math.abs(total - 1) < 1e-5, 'no heat is lost');
});

test('times rise, and the run\u2019s own is among them', () => {
  const times = sliderTimes(0.1, 0.7);
  assert.ok(times.includes(0.7));
  for (let k = 1; k < times.length; ++k) assert.ok(times[k] > times[k - 1]);
  assert.ok(sliderTimes(1, 1e6).includes(1e6));
});

test('distances follow the formula, 0 at the point and missing where no heat is', () => {
  const logHeat = new Float32Array([Math.log(0.5), Math.log(0.1), -Infinity]);
  const diagonal = new Float32Array([Math.log(0.5), Math.log(0.3), Math.log(0.4)]);
  const distances = distancesFrom(0, logHeat, diagonal, 2);
  assert.equal(distances[0], 0);
  assert.ok(Math.abs(distances[1] - Math.sqrt(-8 * (Math.log(0.1) + Math.log(2 / 0.8)))) < 1e-6);
  assert.ok(Number.isNaN(distances[2]));
  const between = diagonalAt([1, 100], [0, -2, -4, -6], 2, 10);
  assert.ok(Math.abs(between[0] + 2) < 1e-6 && Math.abs(between[1] + 4) < 1e-6);
});
