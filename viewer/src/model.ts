// What the page knows and shows at the moment, and who is told when it changes.
import { alignFlat, center } from './align.ts';
import { channelsOf, rangeOf, valuesOf, type Channel, type Range } from './channels.ts';
import { ramp, type Scale } from './colors.ts';
import { placesOf, type PageStore } from './data.ts';
import { HeatClient } from './heat_client.ts';
import { Grid } from './picking.ts';
import { dimOthers, paintGroups, paintNumbers, paintTwo } from './shading.ts';

export type Change =
  'maps' | 'layout' | 'colors' | 'look' | 'selection' | 'picked' | 'hover' | 'heat' | 'theme' | 'tool';
export type Layout = 'grid' | 'one' | 'morph';
export type Spread = 'off' | 'heat' | 'distance';

/// What a legend has to say about the colours in use.
export interface Shown {
  title: string;
  kind: 'category' | 'number' | 'two';
  labels: string[];
  scale: Scale;
  isReversed: boolean;
  full: Range;
  shown: Range;
  values: Float32Array | null; // of the first panel, for the histogram
  codes: ArrayLike<number> | null;
  second: string;
  note: string;
}

const noRange: Range = { low: 0, high: 1 };
const heatDecades = 8; // powers of ten of heat that the colours tell apart

export class Model {
  readonly store: PageStore;
  readonly n: number;
  readonly channels: Channel[];
  readonly heat: HeatClient | null;
  readonly places: (Float32Array | null)[];
  readonly colors: Uint32Array[] = [];
  private readonly grids: (Grid | null)[];
  private readonly listeners = new Map<Change, (() => void)[]>();
  private painting = 0;

  layout: Layout = 'grid';
  panel = 0;
  other = 1;
  morph = 0;
  tool: 'move' | 'lasso' = 'move';
  channel: Channel | null;
  second: Channel | null = null;
  hidden = new Set<number>();
  filter: Range | null = null;
  size: number | null = null; // null: by the number of points
  opacity: number | null = null;
  selected: Uint8Array | null = null;
  selectedCount = 0;
  picked = -1;
  hovered = -1;
  spread: Spread = 'off';
  timeIndex = 0;
  removedShown = false;
  treeShown = true;
  isDark: boolean;
  shown: Shown | null = null;

  constructor(store: PageStore, isDark: boolean) {
    this.store = store;
    this.isDark = isDark;
    const { head } = store;
    this.n = head.n;
    this.channels = channelsOf(head.columns);
    this.channel = this.channels.find((c) => c.label === head.color) ?? this.channels[0] ?? null;
    this.places = head.panels.map(() => null);
    this.grids = head.panels.map(() => null);
    if (head.panels.length === 1) this.layout = 'one';
    this.heat = head.graph ? new HeatClient(store, head.graph, () => this.onHeat()) : null;
  }

  on(change: Change, listener: () => void): void {
    this.listeners.set(change, [...(this.listeners.get(change) ?? []), listener]);
  }
  emit(...changes: Change[]): void {
    for (const change of changes) for (const listener of this.listeners.get(change) ?? []) listener();
  }

  get panels(): PageStore['head']['panels'] {
    return this.store.head.panels;
  }
  /// Panels in sight, in order.
  get visible(): number[] {
    return this.layout === 'grid' ? this.panels.map((_, k) => k) : [this.panel];
  }
  /// A map that grows with the panel and shrinks with the crowd.
  get autoSize(): number {
    return Math.max(1.2, Math.min(7, 220 / Math.sqrt(this.n)));
  }
  get autoOpacity(): number {
    return Math.max(0.35, Math.min(0.9, 40 / Math.sqrt(this.n) + 0.25));
  }
  isDeep(panel: number): boolean {
    return this.panels[panel].dims === 3;
  }

  /// Decodes the maps one after the other, those in sight first; flat ones are turned onto the first.
  async loadMaps(): Promise<void> {
    for (let k = 0; k < this.panels.length; ++k) {
      const places = placesOf(this.panels[k], await this.store.array(this.panels[k].coords), this.n);
      const first = this.places[0];
      if (k > 0 && first && !this.isDeep(k) && !this.isDeep(0)) alignFlat(first, places);
      else center(places);
      this.places[k] = places;
      this.emit('maps');
    }
  }
  grid(panel: number): Grid | null {
    const places = this.places[panel];
    if (!places || this.isDeep(panel)) return null;
    return (this.grids[panel] ??= new Grid(places));
  }

  colorSet(panel: number): number {
    return (this.channel?.columns.length ?? 1) > 1 && this.spread === 'off' && !this.second ? panel : 0;
  }
  isHidden(panel: number, i: number): boolean {
    const colors = this.colors[this.colorSet(panel)];
    return colors === undefined || colors[i] === 0;
  }

  /// Computes the colours anew. A call that a later one overtook leaves no trace.
  async paint(): Promise<void> {
    const turn = ++this.painting;
    const isSpread = this.spread !== 'off' && this.picked >= 0 && this.heat !== null;
    const made = isSpread ? await this.paintSpread() : this.second ? await this.paintBoth() : await this.paintChannel();
    if (turn !== this.painting) return;
    made.sets.forEach((set, k) => {
      if (this.selected) dimOthers(this.selected, set);
      this.colors[k] = set;
    });
    this.shown = made.shown;
    this.emit('colors');
  }

  private async paintChannel(): Promise<{ sets: Uint32Array[]; shown: Shown | null }> {
    const channel = this.channel;
    if (!channel) {
      const plain = new Uint32Array(this.n);
      paintGroups(new Uint8Array(this.n), new Set(), this.isDark, plain);
      return { sets: [plain], shown: null };
    }
    const count = channel.columns.length > 1 ? this.panels.length : 1;
    const all = await Promise.all([...Array(count).keys()].map((k) => valuesOf(this.store, channel, k)));
    const numbers = all.flatMap((v) => (v.kind === 'number' ? [v.values] : []));
    const { full, shown } = rangeOf(numbers);
    const colors = ramp(channel.scale, false, this.isDark);
    const sets = all.map((values) => {
      const out = new Uint32Array(this.n);
      if (values.kind === 'category') paintGroups(values.codes, this.hidden, this.isDark, out);
      else paintNumbers(values.values, shown.low, shown.high, colors, this.filter, this.isDark, out);
      return out;
    });
    const first = all[0];
    return {
      sets,
      shown: {
        title: channel.label,
        kind: channel.kind,
        labels: channel.labels,
        scale: channel.scale,
        isReversed: false,
        full,
        shown,
        values: numbers[this.layout === 'grid' ? 0 : Math.min(this.panel, numbers.length - 1)] ?? null,
        codes: first.kind === 'category' ? first.codes : null,
        second: '',
        note:
          channel.label === 'distortion' && channel.group === 'Trust'
            ? 'How far distances from a point are off in each map: 0 is right, 0.69 a factor of 2 either way.'
            : '',
      },
    };
  }

  private async paintBoth(): Promise<{ sets: Uint32Array[]; shown: Shown | null }> {
    const { channel, second } = this;
    if (!channel || !second) return this.paintChannel();
    const lists = await Promise.all(
      [channel, second].map(async (c) => {
        const values = await valuesOf(this.store, c, this.panel);
        return values.kind === 'number' ? values.values : new Float32Array(this.n);
      }),
    );
    const ranges = lists.map((list) => rangeOf([list]).shown);
    const out = new Uint32Array(this.n);
    paintTwo(lists[0], lists[1], ranges, this.isDark, out);
    const shown: Shown = {
      ...this.plainShown(channel.label),
      kind: 'two',
      second: second.label,
      full: ranges[0],
      shown: ranges[1],
    };
    return { sets: [out], shown };
  }

  private plainShown(title: string): Shown {
    return {
      title,
      kind: 'number',
      labels: [],
      scale: 'viridis',
      isReversed: false,
      full: noRange,
      shown: noRange,
      values: null,
      codes: null,
      second: '',
      note: '',
    };
  }

  private async paintSpread(): Promise<{ sets: Uint32Array[]; shown: Shown | null }> {
    const out = new Uint32Array(this.n);
    const snapshot = await this.heat?.snapshot(this.timeIndex);
    if (!this.heat || !snapshot) {
      paintNumbers(
        new Float32Array(this.n).fill(NaN),
        0,
        1,
        ramp('inferno', false, this.isDark),
        null,
        this.isDark,
        out,
      );
      return {
        sets: [out],
        shown: { ...this.plainShown('Heat'), scale: 'inferno', note: 'Heat is on its way\u2026' },
      };
    }
    const isHeat = this.spread === 'heat';
    const values = new Float32Array(this.n);
    const of = isHeat ? snapshot.logHeat : await this.heat.distances(snapshot);
    for (let i = 0; i < this.n; ++i) values[i] = of[this.heat.placeOf(i)];
    let { full } = rangeOf([values]);
    if (isHeat) {
      for (let i = 0; i < this.n; ++i) {
        const power = (values[i] - full.high) / Math.LN10;
        values[i] = power < -heatDecades ? -heatDecades : power;
      }
      // Fewer decades where heat has come to rest, so that what is left of differences shows.
      full = { low: Math.min(-2, rangeOf([values]).full.low), high: 0 };
    }
    const scale: Scale = isHeat ? 'inferno' : 'viridis';
    paintNumbers(values, full.low, full.high, ramp(scale, !isHeat, this.isDark), this.filter, this.isDark, out);
    const shown: Shown = {
      ...this.plainShown(isHeat ? 'Heat, powers of ten below the hottest' : 'Heat-geodesic distance from the point'),
      scale,
      isReversed: !isHeat,
      full,
      shown: full,
      values,
      note: isHeat ? '' : 'Along the data, not across the picture. Grey: no heat has arrived yet.',
    };
    return { sets: [out], shown };
  }

  private onHeat(): void {
    this.emit('heat');
    if (this.spread !== 'off') void this.paint();
  }

  chooseChannel(channel: Channel | null): void {
    this.channel = channel;
    if (channel?.kind !== 'number' || channel.columns.length > 1 || this.second?.id === channel.id) this.second = null;
    this.hidden.clear();
    this.filter = null;
    this.spread = 'off';
    this.emit('heat');
    void this.paint();
  }
  chooseSecond(channel: Channel | null): void {
    this.second = channel;
    this.filter = null;
    void this.paint();
  }
  chooseSpread(spread: Spread): void {
    this.spread = spread;
    this.filter = null;
    if (spread !== 'off' && this.picked >= 0) this.heat?.from(this.picked);
    this.emit('heat');
    void this.paint();
  }
  pick(point: number): void {
    this.picked = point;
    if (point >= 0 && this.heat) this.heat.from(point);
    this.emit('picked');
    if (this.spread !== 'off') void this.paint();
  }
  select(points: readonly number[], how: 'set' | 'add' | 'remove'): void {
    const mask = how === 'set' || !this.selected ? new Uint8Array(this.n) : this.selected;
    for (const i of points) mask[i] = how === 'remove' ? 0 : 1;
    this.selectedCount = mask.reduce((sum, x) => sum + x, 0);
    this.selected = this.selectedCount > 0 ? mask : null;
    this.emit('selection');
    void this.paint();
  }
}
