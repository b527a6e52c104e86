// The smaller parts of the side bar: look of the points, search, selection, the entropy curve, the
// shortcut edges that were removed, the run's manifest.
import type { Board } from './board.ts';
import { selectionCsv } from './csv.ts';
import { clipped, download, h, shortNumber, svg } from './dom.ts';
import type { Model } from './model.ts';
import type { Rows } from './rows.ts';

export function lookSection(model: Model): HTMLElement {
  const slider = (
    id: string,
    label: string,
    low: number,
    high: number,
    auto: () => number,
    set: (x: number | null) => void,
  ): HTMLElement => {
    const input = h('input', {
      type: 'range',
      id,
      min: low,
      max: high,
      step: (high - low) / 100,
      value: auto(),
      'aria-label': label,
    });
    const reset = h(
      'button',
      { type: 'button', class: 'small', 'aria-label': `${label} auto`, click: () => change(null) },
      'auto',
    );
    const change = (value: number | null): void => {
      set(value);
      if (value === null) input.value = String(auto());
      reset.setAttribute('aria-pressed', String(value === null));
      model.emit('look');
    };
    reset.setAttribute('aria-pressed', 'true');
    input.addEventListener('input', () => change(Number(input.value)));
    return h('label', { class: 'row' }, h('span', {}, label), input, reset);
  };
  return h(
    'section',
    { class: 'box' },
    h('h3', {}, 'Points'),
    slider(
      'size',
      'Size',
      1,
      14,
      () => model.autoSize,
      (x) => (model.size = x),
    ),
    slider(
      'opacity',
      'Opacity',
      0.05,
      1,
      () => model.autoOpacity,
      (x) => (model.opacity = x),
    ),
  );
}

export function searchSection(model: Model, board: Board, rows: Rows): HTMLElement {
  const hasNames = model.store.head.names !== undefined;
  const input = h('input', {
    type: 'search',
    id: 'search',
    placeholder: hasNames ? 'Name' : 'Number of a row',
    'aria-label': 'Search points by name',
    autocomplete: 'off',
  });
  const list = h('ul', { class: 'results', id: 'results' });
  const status = h('p', { class: 'note', role: 'status', id: 'found' }, '');
  const selectAll = h(
    'button',
    {
      type: 'button',
      class: 'small',
      id: 'select-found',
      click: () => void found().then((all) => model.select(all, 'set')),
    },
    'Select all found',
  );
  selectAll.hidden = true;
  const found = (): Promise<number[]> => rows.search(input.value);
  const go = (point: number): void => {
    model.pick(point);
    board.show(point);
  };
  input.addEventListener('input', () => void refresh());
  input.addEventListener('keydown', (e) => {
    if (e.key === 'Enter')
      void found().then((all) => all.length > 0 && (all.length === 1 ? go(all[0]) : model.select(all, 'set')));
  });
  const refresh = async (): Promise<void> => {
    const asked = input.value;
    const all = await found();
    const entries = await Promise.all(
      all
        .slice(0, 8)
        .map(async (i) =>
          h('li', {}, h('button', { type: 'button', click: () => go(i) }, clipped(await rows.name(i), 80))),
        ),
    );
    if (input.value !== asked) return;
    list.replaceChildren(...entries);
    selectAll.hidden = all.length < 2;
    status.textContent =
      asked.trim() === ''
        ? ''
        : all.length === 0
          ? 'No point has this name.'
          : `${all.length.toLocaleString('en-US')} found`;
  };
  return h(
    'section',
    { class: 'box' },
    h('h3', {}, 'Search'),
    input,
    list,
    h('div', { class: 'buttons' }, status, selectAll),
  );
}

export function selectionSection(model: Model, rows: Rows): HTMLElement {
  const text = h('p', { id: 'selected', role: 'status' }, '');
  const save = h('button', { type: 'button', id: 'save-csv', click: () => void saveCsv() }, 'Save as CSV');
  const clear = h('button', { type: 'button', id: 'clear', click: () => model.select([], 'set') }, 'Clear');
  const saveCsv = async (): Promise<void> => {
    const csv = await selectionCsv(model, rows);
    download(`${model.selected ? 'selection' : 'points'}.csv`, new Blob([csv], { type: 'text/csv' }));
  };
  const refresh = (): void => {
    text.textContent = model.selected
      ? `${model.selectedCount.toLocaleString('en-US')} of ${model.n.toLocaleString('en-US')} points`
      : 'None. Use the lasso, or hold shift and draw; ctrl adds, alt takes away.';
    text.className = model.selected ? 'big' : 'note';
    clear.hidden = !model.selected;
  };
  model.on('selection', refresh);
  refresh();
  return h('section', { class: 'box' }, h('h3', {}, 'Selection'), text, h('div', { class: 'buttons' }, save, clear));
}

/// Entropy of the heat over time; the chosen time is its knee. A click sets the slider there.
export function entropySection(model: Model): HTMLElement | null {
  const { entropy } = model.store.head;
  if (!entropy || entropy.times.length < 2) return null;
  const [width, height] = [240, 96];
  const low = Math.log(entropy.times[0]);
  const high = Math.log(entropy.times[entropy.times.length - 1]);
  const [bottom, top] = [Math.min(...entropy.values), Math.max(...entropy.values)];
  const x = (time: number): number => 6 + ((Math.log(time) - low) / (high - low || 1)) * (width - 12);
  const y = (value: number): number => height - 8 - ((value - bottom) / (top - bottom || 1)) * (height - 18);
  const path = entropy.times
    .map((t, k) => `${k === 0 ? 'M' : 'L'}${x(t).toFixed(1)} ${y(entropy.values[k]).toFixed(1)}`)
    .join('');
  const marker = svg('line', { class: 'now', y1: 4, y2: height - 2, visibility: 'hidden' });
  const chart = svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      class: 'entropy',
      id: 'entropy',
      role: 'img',
      'aria-label': `Entropy over time; chosen time ${shortNumber(entropy.chosen)}`,
    },
    svg('path', { class: 'curve', d: path }),
    svg('line', { class: 'chosen', x1: x(entropy.chosen), x2: x(entropy.chosen), y1: 4, y2: height - 2 }),
    marker,
  );
  chart.addEventListener('click', (e) => {
    const box = chart.getBoundingClientRect();
    const at = Math.exp(low + ((((e.clientX - box.left) / box.width) * width - 6) / (width - 12)) * (high - low));
    const times = model.heat?.times ?? [];
    if (times.length === 0) return;
    const gap = (t: number): number => Math.abs(Math.log(t / at));
    model.timeIndex = times.reduce((best, t, k) => (gap(t) < gap(times[best]) ? k : best), 0);
    model.emit('heat');
    if (model.spread !== 'off') void model.paint();
  });
  const refresh = (): void => {
    const time = model.heat?.times[model.timeIndex];
    if (time === undefined) return;
    const at = Math.max(0, Math.min(width, x(time)));
    marker.setAttribute('x1', String(at));
    marker.setAttribute('x2', String(at));
    marker.setAttribute('visibility', 'visible');
  };
  model.on('heat', refresh);
  return h(
    'section',
    { class: 'box' },
    h('h3', {}, 'Entropy over time'),
    chart,
    h(
      'p',
      { class: 'note', id: 'entropy-text' },
      `Chosen t = ${shortNumber(entropy.chosen)} (${entropy.how}). The thin line is the slider.`,
    ),
  );
}

export function shortcutSection(model: Model, board: Board): HTMLElement | null {
  const { graph } = model.store.head;
  if (!graph) return null;
  const count = graph.removed.length / 2;
  const box = h('input', { type: 'checkbox', id: 'removed', disabled: count === 0 });
  box.addEventListener('change', () => void toggle());
  const toggle = async (): Promise<void> => {
    if (box.checked) board.setEdges(await edgesOfPoints());
    model.removedShown = box.checked;
    model.emit('look');
  };
  // Edges join places of the graph; equal points share one, and the first of them stands for all.
  const edgesOfPoints = async (): Promise<ArrayLike<number>> => {
    const pairs = await model.store.array(graph.removed);
    if (!graph.placeOf) return pairs;
    const places = await model.store.array(graph.placeOf);
    const first = new Uint32Array(graph.places);
    for (let i = places.length - 1; i >= 0; --i) first[places[i]] = i;
    return Array.from(pairs, (place) => first[place]);
  };
  const text =
    count === 0
      ? 'No shortcut edges were removed.'
      : `Show the ${count.toLocaleString('en-US')} shortcut edges that were removed`;
  return h('section', { class: 'box' }, h('h3', {}, 'Graph'), h('label', { class: 'check' }, box, h('span', {}, text)));
}

export function runSection(model: Model): HTMLElement {
  const { head } = model.store;
  const lines = [
    `${head.n.toLocaleString('en-US')} points` +
      (head.total > head.n
        ? `, a uniform sample of ${head.total.toLocaleString('en-US')} that keeps densities in proportion`
        : ''),
    `${head.panels.length} map${head.panels.length === 1 ? '' : 's'}, written by ${head.generator}`,
  ];
  const parts: HTMLElement[] = lines.map((line) => h('p', { class: 'note' }, line));
  if (head.manifest !== undefined) {
    const text = JSON.stringify(head.manifest, null, 1);
    parts.push(
      h(
        'details',
        { id: 'manifest' },
        h('summary', {}, 'Manifest'),
        h('pre', { tabindex: 0, 'aria-label': 'Manifest of the run' }, text),
      ),
      h(
        'div',
        { class: 'buttons' },
        h(
          'button',
          {
            type: 'button',
            class: 'small',
            click: () => download('manifest.json', new Blob([text], { type: 'application/json' })),
          },
          'Save manifest',
        ),
      ),
    );
  }
  return h('section', { class: 'box' }, h('h3', {}, 'Run'), ...parts);
}
