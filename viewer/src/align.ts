// Turns one map onto another: a map's rotation and reflection mean nothing, so maps side by side
// stand alike, and a morph moves no point without need.

/// Rotates (and, where that fits better, mirrors) the flat map `moving` onto `fixed` in place: x and
/// y of the closest orthogonal transformation, from the cross-covariance. Lengths are kept.
export function alignFlat(fixed: Float32Array, moving: Float32Array): void {
  const n = fixed.length / 3;
  const step = Math.max(1, Math.floor(n / 20000)); // a sample shows the turn as well
  let count = 0;
  const mean = [0, 0, 0, 0];
  for (let i = 0; i < n; i += step, ++count) {
    mean[0] += fixed[3 * i];
    mean[1] += fixed[3 * i + 1];
    mean[2] += moving[3 * i];
    mean[3] += moving[3 * i + 1];
  }
  for (let k = 0; k < 4; ++k) mean[k] /= Math.max(count, 1);
  let xx = 0;
  let xy = 0;
  let yx = 0;
  let yy = 0;
  for (let i = 0; i < n; i += step) {
    const fx = fixed[3 * i] - mean[0];
    const fy = fixed[3 * i + 1] - mean[1];
    const mx = moving[3 * i] - mean[2];
    const my = moving[3 * i + 1] - mean[3];
    xx += fx * mx;
    xy += fx * my;
    yx += fy * mx;
    yy += fy * my;
  }
  // Of all rotations the best scores |(xx + yy, yx - xy)|, of all reflections |(xx - yy, yx + xy)|.
  const turn = Math.hypot(xx + yy, yx - xy);
  const mirror = Math.hypot(xx - yy, yx + xy);
  const isMirrored = mirror > turn;
  const size = Math.max(turn, mirror);
  if (!(size > 0)) return;
  const c = (isMirrored ? xx - yy : xx + yy) / size;
  const s = (isMirrored ? yx + xy : yx - xy) / size;
  for (let i = 0; i < n; ++i) {
    const x = moving[3 * i];
    const y = moving[3 * i + 1];
    moving[3 * i] = isMirrored ? c * x + s * y : c * x - s * y;
    moving[3 * i + 1] = isMirrored ? s * x - c * y : s * x + c * y;
  }
  center(moving);
}

/// Moves the middle of the bounding box to the origin and scales the longest half side to 1.
export function center(places: Float32Array): void {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; ++i) {
    const k = i % 3;
    if (places[i] < low[k]) low[k] = places[i];
    if (places[i] > high[k]) high[k] = places[i];
  }
  let half = 0;
  for (let k = 0; k < 3; ++k) half = Math.max(half, (high[k] - low[k]) / 2);
  if (!(half > 0)) half = 1;
  for (let i = 0; i < places.length; ++i) {
    const k = i % 3;
    places[i] = (places[i] - (low[k] + high[k]) / 2) / half;
  }
}
