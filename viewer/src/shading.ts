// Values, filters and the selection in, one 32-bit colour a point out (bytes red, green, blue,
// alpha; alpha 255 plain, 1 to 127 faint and behind, 0 hidden).
import { blend, groupColor, missingColor, type Rgb } from './colors.ts';

const faint = 36;

export function pack(rgb: Rgb, alpha: number): number {
  return ((alpha << 24) | (Math.round(rgb[2]) << 16) | (Math.round(rgb[1]) << 8) | Math.round(rgb[0])) >>> 0;
}

export function paintGroups(
  codes: ArrayLike<number>,
  hidden: ReadonlySet<number>,
  isDark: boolean,
  out: Uint32Array,
): void {
  const table: number[] = [];
  for (let i = 0; i < out.length; ++i) {
    const code = codes[i];
    table[code] ??= hidden.has(code) ? 0 : pack(groupColor(code, isDark), 255);
    out[i] = table[code];
  }
}

/// `filter` hides what lies outside; missing values are grey, and hidden by any filter.
export function paintNumbers(
  values: Float32Array,
  low: number,
  high: number,
  ramp: Uint8Array,
  filter: { low: number; high: number } | null,
  isDark: boolean,
  out: Uint32Array,
): void {
  const missing = pack(missingColor(isDark), 255);
  const table = new Uint32Array(256);
  for (let k = 0; k < 256; ++k) table[k] = pack([ramp[3 * k], ramp[3 * k + 1], ramp[3 * k + 2]], 255);
  const factor = high > low ? 256 / (high - low) : 0;
  for (let i = 0; i < out.length; ++i) {
    const x = values[i];
    if (!(x === x) || x === Infinity || x === -Infinity) {
      out[i] = filter ? 0 : missing;
    } else if (filter && (x < filter.low || x > filter.high)) {
      out[i] = 0;
    } else {
      const k = factor > 0 ? Math.floor((x - low) * factor) : 128;
      out[i] = table[k < 0 ? 0 : k > 255 ? 255 : k];
    }
  }
}

export function paintTwo(
  first: Float32Array,
  second: Float32Array,
  ranges: readonly { low: number; high: number }[],
  isDark: boolean,
  out: Uint32Array,
): void {
  const share = (x: number, k: number): number => {
    const width = ranges[k].high - ranges[k].low;
    return width > 0 && x === x ? Math.max(0, Math.min(1, (x - ranges[k].low) / width)) : 0;
  };
  const steps = 32;
  const table = new Uint32Array(steps * steps);
  for (let a = 0; a < steps; ++a) {
    for (let b = 0; b < steps; ++b) table[a * steps + b] = pack(blend(a / (steps - 1), b / (steps - 1), isDark), 255);
  }
  for (let i = 0; i < out.length; ++i) {
    const a = Math.round(share(first[i], 0) * (steps - 1));
    const b = Math.round(share(second[i], 1) * (steps - 1));
    out[i] = table[a * steps + b];
  }
}

/// What is not selected becomes faint; hidden points stay hidden.
export function dimOthers(selected: Uint8Array, out: Uint32Array): void {
  for (let i = 0; i < out.length; ++i) {
    if (selected[i] === 0 && out[i] !== 0) out[i] = ((out[i] & 0xffffff) | (faint << 24)) >>> 0;
  }
}
