// What points can be coloured by: the columns of the page, features, trust, and heat from a point.
// In: a choice; out: one number or group a point, with what a legend says about it.
import type { ColumnHead, PageStore } from './data.ts';
import type { Scale } from './colors.ts';

export interface Channel {
  id: string;
  label: string;
  group: 'Columns' | 'Features' | 'Trust';
  kind: 'category' | 'number';
  isFeature: boolean;
  scale: Scale;
  labels: string[];
  columns: ColumnHead[]; // one, or one per panel
}

/// Columns of one name that each speak about their own panel are one channel.
export function channelsOf(columns: readonly ColumnHead[]): Channel[] {
  const channels: Channel[] = [];
  const groups = { column: 'Columns', feature: 'Features', trust: 'Trust' } as const;
  columns.forEach((column, k) => {
    const same = channels.find(
      (c) => column.panel !== undefined && c.columns[0].panel !== undefined && c.label === column.name,
    );
    if (same) {
      same.columns.push(column);
      return;
    }
    channels.push({
      id: `c${k}`,
      label: column.name,
      group: groups[column.role],
      kind: column.kind === 'category' ? 'category' : 'number',
      isFeature: column.role === 'feature',
      scale: column.role === 'trust' ? 'inferno' : column.role === 'feature' ? 'cividis' : 'viridis',
      labels: column.kind === 'category' ? column.labels : [],
      columns: [column],
    });
  });
  return channels;
}

export type Values = { kind: 'category'; codes: ArrayLike<number> } | { kind: 'number'; values: Float32Array };

/// The channel's values for a panel: its own where it has some, else those of all.
export async function valuesOf(store: PageStore, channel: Channel, panel: number): Promise<Values> {
  const column = channel.columns.find((c) => c.panel === panel) ?? channel.columns[0];
  if (column.kind === 'category') return { kind: 'category', codes: await store.array(column.codes) };
  return { kind: 'number', values: await store.numbers(column) };
}

export interface Range {
  low: number;
  high: number;
}

/// Least and largest number; where few outliers stretch the range, `shown` ends at their side: the
/// colours then belong to the many. Outliers keep the end's colour.
export function rangeOf(lists: readonly Float32Array[]): { full: Range; shown: Range } {
  let low = Infinity;
  let high = -Infinity;
  const sample: number[] = [];
  for (const values of lists) {
    const step = Math.max(1, Math.floor(values.length / 20000));
    for (let i = 0; i < values.length; ++i) {
      const x = values[i];
      if (!Number.isFinite(x)) continue;
      if (x < low) low = x;
      if (x > high) high = x;
      if (i % step === 0) sample.push(x);
    }
  }
  if (!(high >= low)) return { full: { low: 0, high: 1 }, shown: { low: 0, high: 1 } };
  const full = { low, high };
  if (sample.length < 100) return { full, shown: full };
  sample.sort((a, b) => a - b);
  const at = (share: number): number => sample[Math.min(sample.length - 1, Math.floor(share * sample.length))];
  const [q1, q99] = [at(0.01), at(0.99)];
  const width = q99 - q1;
  if (!(width > 0)) return { full, shown: full };
  return {
    full,
    shown: { low: low < q1 - width ? q1 : low, high: high > q99 + width / 2 ? q99 : high },
  };
}

export function histogram(values: ArrayLike<number>, range: Range, bins: number): Uint32Array {
  const counts = new Uint32Array(bins);
  const width = range.high - range.low;
  for (let i = 0; i < values.length; ++i) {
    const x = values[i];
    if (!Number.isFinite(x)) continue;
    const k = width > 0 ? Math.floor(((x - range.low) / width) * bins) : 0;
    if (k >= 0 && k <= bins) ++counts[Math.min(k, bins - 1)];
  }
  return counts;
}
