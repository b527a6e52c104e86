// Heat on the graph, in the page: exp(-tL) of one point at ascending times, summed from non-negative
// terms only, so that every entry is right to its own size (the library's uniformization).

export interface Operator {
  n: number;
  offsets: Uint32Array;
  indices: Uint32Array;
  values: Float64Array; // of I - L / rate, off the diagonal
  diagonal: Float64Array;
  rate: number; // of jumps; no diagonal entry of L is larger
  jump: number; // 1 / the median diagonal of L: the time in which a typical point jumps once
}

/// Edges come once each, from < to, row by row. The random-walk form has the distances of the
/// normalised one, and is computed as that.
export function buildOperator(
  counts: ArrayLike<number>,
  targets: ArrayLike<number>,
  weights: ArrayLike<number>,
  laplacian: string,
): Operator {
  const n = counts.length;
  const degree = new Float64Array(n);
  const offsets = new Uint32Array(n + 1);
  for (let i = 0, e = 0; i < n; ++i) {
    for (const end = e + counts[i]; e < end; ++e) {
      ++offsets[i + 1];
      ++offsets[targets[e] + 1];
      degree[i] += weights[e];
      degree[targets[e]] += weights[e];
    }
  }
  for (let i = 0; i < n; ++i) offsets[i + 1] += offsets[i];
  const isPlain = laplacian === 'combinatorial';
  let rate = 0;
  if (isPlain) for (let i = 0; i < n; ++i) rate = Math.max(rate, degree[i]);
  if (!(rate > 0)) rate = 1;
  const next = offsets.slice();
  const indices = new Uint32Array(offsets[n]);
  const values = new Float64Array(offsets[n]);
  for (let i = 0, e = 0; i < n; ++i) {
    for (const end = e + counts[i]; e < end; ++e) {
      const j = targets[e];
      const value = isPlain ? weights[e] / rate : weights[e] / Math.sqrt(degree[i] * degree[j]);
      indices[next[i]] = j;
      values[next[i]++] = value;
      indices[next[j]] = i;
      values[next[j]++] = value;
    }
  }
  const diagonal = new Float64Array(n);
  const own = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    own[i] = isPlain ? degree[i] : degree[i] > 0 ? 1 : 0;
    diagonal[i] = 1 - own[i] / rate;
  }
  const middle = own.slice().sort()[Math.floor(n / 2)];
  return { n, offsets, indices, values, diagonal, rate, jump: 1 / (middle > 0 ? middle : 1) };
}

function multiply(a: Operator, x: Float64Array, y: Float64Array): void {
  const { n, offsets, indices, values, diagonal } = a;
  for (let i = 0; i < n; ++i) {
    let sum = diagonal[i] * x[i];
    for (let e = offsets[i]; e < offsets[i + 1]; ++e) sum += values[e] * x[indices[e]];
    // What is left of so little heat is not worth the slow arithmetic of subnormal numbers.
    y[i] = sum > 1e-290 ? sum : 0;
  }
}

const mostJumps = 200; // a step: exp(-200) is far from underflow
const mostHops = 600; // past the mean number of jumps, for heat that is only just arriving
const tolerance = 1e-5; // relative, in every entry: a picture's worth

/// Heat after `time` more, from heat without negative entries.
export function advance(a: Operator, start: Float64Array, time: number): Float64Array {
  let heat = start;
  const steps = Math.max(1, Math.ceil((a.rate * time) / mostJumps));
  for (let s = 0; s < steps; ++s) heat = oneStep(a, heat, (a.rate * time) / steps);
  return heat;
}

function oneStep(a: Operator, start: Float64Array, jumps: number): Float64Array {
  const sum = new Float64Array(a.n);
  let power: Float64Array = start.slice();
  let next: Float64Array = new Float64Array(a.n);
  let weight = Math.exp(-jumps);
  for (let i = 0; i < a.n; ++i) sum[i] = weight * power[i];
  const last = Math.ceil(jumps) + mostHops;
  for (let k = 1; k <= last; ++k) {
    multiply(a, power, next);
    [power, next] = [next, power];
    weight *= jumps / k;
    if (weight === 0) break;
    const mayEnd = k > jumps;
    let isDone = mayEnd;
    for (let i = 0; i < a.n; ++i) {
      const term = weight * power[i];
      // The rest of the series is less than term / (1 - jumps / k) where terms fall.
      if (isDone && term > tolerance * (1 - jumps / (k + 1)) * sum[i]) isDone = false;
      sum[i] += term;
    }
    if (isDone) break;
  }
  for (let i = 0; i < a.n; ++i) if (sum[i] < 1e-290) sum[i] = 0;
  return sum;
}

/// Times that the slider stands for: equally spaced in the logarithm, the run's own among them.
export function sliderTimes(jump: number, ownTime: number, count = 36): number[] {
  const times: number[] = [];
  for (let s = 0; s < count; ++s) times.push(0.3 * jump * 1000 ** (s / (count - 1)));
  if (ownTime > 0) {
    const near = times.findIndex((t) => Math.abs(Math.log(t / ownTime)) < Math.log(1000) / (count - 1) / 2);
    if (near >= 0) times[near] = ownTime;
    else times.push(ownTime);
    times.sort((x, y) => x - y);
  }
  return times;
}

/// Logarithms of h_t(i, i) at `time`, between the times at which they are known.
export function diagonalAt(
  times: readonly number[],
  logDiagonal: ArrayLike<number>,
  n: number,
  time: number,
): Float32Array {
  const at = new Float32Array(n);
  let k = 0;
  while (k + 2 < times.length && times[k + 1] < time) ++k;
  const share = Math.max(0, Math.min(1, Math.log(time / times[k]) / Math.log(times[k + 1] / times[k])));
  for (let i = 0; i < n; ++i) {
    at[i] = (1 - share) * logDiagonal[k * n + i] + share * logDiagonal[(k + 1) * n + i];
  }
  return at;
}

/// Heat-geodesic distances of all places from one: d^2 = -4t (log h_ij + log 2 / (h_ii + h_jj)).
/// NaN where no heat has arrived. Without diagonals the volume term is left out.
export function distancesFrom(
  source: number,
  logHeat: Float32Array,
  logDiagonal: Float32Array | null,
  time: number,
): Float32Array {
  const out = new Float32Array(logHeat.length);
  const own = Math.exp(logHeat[source]);
  for (let j = 0; j < out.length; ++j) {
    if (logHeat[j] === -Infinity) {
      out[j] = NaN;
      continue;
    }
    const volume = logDiagonal ? Math.log(2 / (own + Math.exp(logDiagonal[j]))) : 0;
    out[j] = Math.sqrt(Math.max(0, -4 * time * (logHeat[j] + volume)));
  }
  out[source] = 0;
  return out;
}
