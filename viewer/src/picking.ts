// Which points lie where: the nearest to a pixel, and those inside a lasso.
import type { Camera } from './camera.ts';

/// Points of a flat map sorted into a grid of cells, so that a pixel looks at few of them.
export class Grid {
  private readonly cells: number;
  private readonly starts: Uint32Array;
  private readonly members: Uint32Array;
  private readonly places: Float32Array;

  constructor(places: Float32Array) {
    const n = places.length / 3;
    this.places = places;
    this.cells = Math.max(1, Math.min(1024, Math.floor(Math.sqrt(n / 2))));
    this.starts = new Uint32Array(this.cells * this.cells + 1);
    this.members = new Uint32Array(n);
    const cell = new Uint32Array(n);
    for (let i = 0; i < n; ++i) {
      cell[i] = this.cellOf(places[3 * i + 1]) * this.cells + this.cellOf(places[3 * i]);
      ++this.starts[cell[i] + 1];
    }
    for (let c = 0; c < this.cells * this.cells; ++c) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    for (let i = 0; i < n; ++i) this.members[next[cell[i]]++] = i;
  }

  private cellOf(x: number): number {
    return Math.max(0, Math.min(this.cells - 1, Math.floor(((x + 1) / 2) * this.cells)));
  }

  /// The nearest point that `counts`, at most `radius` away; -1 where there is none.
  nearest(x: number, y: number, radius: number, counts: (i: number) => boolean): number {
    let best = -1;
    let least = radius * radius;
    const [left, right] = [this.cellOf(x - radius), this.cellOf(x + radius)];
    const [low, high] = [this.cellOf(y - radius), this.cellOf(y + radius)];
    for (let row = low; row <= high; ++row) {
      const from = this.starts[row * this.cells + left];
      const to = this.starts[row * this.cells + right + 1];
      for (let k = from; k < to; ++k) {
        const i = this.members[k];
        const dx = this.places[3 * i] - x;
        const dy = this.places[3 * i + 1] - y;
        const d = dx * dx + dy * dy;
        if ((d < least || (d === least && i < best)) && counts(i)) {
          best = i;
          least = d;
        }
      }
    }
    return best;
  }
}

/// The same for a rotating map: every point is looked at, the front one wins among the near.
export function nearestOnScreen(
  places: Float32Array,
  camera: Camera,
  sx: number,
  sy: number,
  radius: number,
  counts: (i: number) => boolean,
): number {
  let best = -1;
  let least = radius * radius;
  for (let i = 0; i < places.length / 3; ++i) {
    const [x, y] = camera.toScreen(places[3 * i], places[3 * i + 1], places[3 * i + 2]);
    const d = (x - sx) * (x - sx) + (y - sy) * (y - sy);
    if (d < least && counts(i)) {
      best = i;
      least = d;
    }
  }
  return best;
}

/// Even-odd rule; `polygon` is x, y, x, y, ...
export function isInside(polygon: readonly number[], x: number, y: number): boolean {
  let inside = false;
  for (let a = 0, b = polygon.length - 2; a < polygon.length; b = a, a += 2) {
    const ay = polygon[a + 1];
    const by = polygon[b + 1];
    if (ay > y !== by > y && x < polygon[a] + ((y - ay) / (by - ay)) * (polygon[b] - polygon[a])) inside = !inside;
  }
  return inside;
}

/// Points whose pixel lies inside the lasso.
export function insideLasso(
  places: Float32Array,
  camera: Camera,
  lasso: readonly number[],
  counts: (i: number) => boolean,
): number[] {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let k = 0; k < lasso.length; k += 2) {
    left = Math.min(left, lasso[k]);
    right = Math.max(right, lasso[k]);
    top = Math.min(top, lasso[k + 1]);
    bottom = Math.max(bottom, lasso[k + 1]);
  }
  const found: number[] = [];
  for (let i = 0; i < places.length / 3; ++i) {
    const [x, y] = camera.toScreen(places[3 * i], places[3 * i + 1], places[3 * i + 2]);
    if (x < left || x > right || y < top || y > bottom) continue;
    if (counts(i) && isInside(lasso, x, y)) found.push(i);
  }
  return found;
}
