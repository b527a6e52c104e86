// The part of the side bar that says what colours mean: the choice of a column, a second one
// blended in, the legend that toggles, the histogram that filters.
import { histogram, type Channel } from './channels.ts';
import { blend, cssColor, groupColor, ramp } from './colors.ts';
import { clipped, h, shortNumber, svg } from './dom.ts';
import type { Model, Shown } from './model.ts';

const mostEntries = 300;
const bins = 48;

function optionsOf(channels: readonly Channel[]): HTMLElement[] {
  return (['Columns', 'Features', 'Trust'] as const).flatMap((group) => {
    const inside = channels.filter((c) => c.group === group);
    if (inside.length === 0) return [];
    return [h('optgroup', { label: group }, ...inside.map((c) => h('option', { value: c.id }, clipped(c.label, 60))))];
  });
}

export function colorSection(model: Model): HTMLElement {
  const choose = h('select', { id: 'color', 'aria-label': 'Colour by' }, ...optionsOf(model.channels));
  choose.addEventListener('change', () =>
    model.chooseChannel(model.channels.find((c) => c.id === choose.value) ?? null),
  );
  const second = h('select', { id: 'second', 'aria-label': 'Blend with' });
  second.addEventListener('change', () =>
    model.chooseSecond(model.channels.find((c) => c.id === second.value) ?? null),
  );
  const secondRow = h('label', { class: 'row' }, h('span', {}, 'Blend with'), second);
  const legend = h('div', { class: 'legend', id: 'legend' });
  const genes = geneSearch(model);
  const refresh = (): void => {
    choose.value = model.channel?.id ?? '';
    const others = model.channels.filter(
      (c) => c.kind === 'number' && c.columns.length === 1 && c.id !== model.channel?.id,
    );
    secondRow.hidden =
      model.channel?.kind !== 'number' ||
      model.channel.columns.length > 1 ||
      others.length === 0 ||
      model.spread !== 'off';
    second.replaceChildren(h('option', { value: '' }, 'nothing'), ...optionsOf(others));
    second.value = model.second?.id ?? '';
    drawLegend(model, legend);
  };
  model.on('colors', refresh);
  return h(
    'section',
    { class: 'box' },
    h('h3', {}, 'Colour'),
    model.channels.length > 0
      ? h('label', { class: 'row' }, h('span', {}, 'By'), choose)
      : h('p', { class: 'note' }, 'No columns came with this page.'),
    ...genes,
    secondRow,
    legend,
  );
}

/// A gene by name: suggestions while one types, and the nearest name where none is meant exactly.
function geneSearch(model: Model): HTMLElement[] {
  const genes = model.channels.filter((c) => c.group === 'Features');
  if (genes.length === 0) return [];
  const list = h('datalist', { id: 'genes' }, ...genes.map((c) => h('option', { value: c.label })));
  const input = h('input', {
    type: 'search',
    id: 'gene',
    list: 'genes',
    placeholder: `Gene (${genes.length.toLocaleString('en-US')})`,
    'aria-label': 'Colour by a gene',
    autocomplete: 'off',
  });
  const note = h('p', { class: 'note', role: 'status', id: 'gene-note' }, '');
  const look = (isDone: boolean): void => {
    const asked = input.value.trim().toLowerCase();
    const found = genes.find((c) => c.label.toLowerCase() === asked);
    if (found) model.chooseChannel(found);
    const like = genes.filter((c) => asked !== '' && c.label.toLowerCase().includes(asked)).map((c) => c.label);
    note.textContent =
      found || asked === '' || !isDone
        ? ''
        : like.length > 0
          ? `No gene of exactly that name; there are ${like.slice(0, 5).join(', ')}.`
          : 'Not in this page: make it with --features NAME.';
  };
  input.addEventListener('input', () => look(false));
  input.addEventListener('change', () => look(true));
  return [list, input, note];
}

function drawLegend(model: Model, legend: HTMLElement): void {
  const { shown } = model;
  const focused = (document.activeElement as HTMLElement | null)?.dataset['key'];
  if (!shown) legend.replaceChildren();
  else if (shown.kind === 'category') legend.replaceChildren(...groupLegend(model, shown));
  else if (shown.kind === 'two') legend.replaceChildren(twoLegend(model, shown));
  else drawNumberLegend(model, shown, legend);
  // Entries are made anew: the one that had the focus keeps it.
  if (focused) legend.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

// ---- groups

function groupLegend(model: Model, shown: Shown): HTMLElement[] {
  const counts = new Uint32Array(shown.labels.length);
  if (shown.codes) for (let i = 0; i < model.n; ++i) ++counts[shown.codes[i]];
  const toggle = (code: number, isAlone: boolean): void => {
    if (isAlone) {
      const others = shown.labels.map((_, k) => k).filter((k) => k !== code);
      const wasAlone = !model.hidden.has(code) && others.every((k) => model.hidden.has(k));
      model.hidden = new Set(wasAlone ? [] : others);
    } else if (!model.hidden.delete(code)) model.hidden.add(code);
    void model.paint();
  };
  const entries = shown.labels.slice(0, mostEntries).map((label, code) => {
    const swatch = h('span', { class: 'swatch' });
    swatch.style.background = cssColor(groupColor(code, model.isDark));
    const isShown = !model.hidden.has(code);
    return h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': isShown ? 'true' : 'false',
          'data-key': `group-${code}`,
          title: `${clipped(label, 200)} \u2013 double-click: only this`,
          click: (e) => toggle(code, (e as MouseEvent).altKey),
          dblclick: () => toggle(code, true),
        },
        swatch,
        h('span', { class: 'name' }, clipped(label, 80) || '(no name)'),
        h('span', { class: 'count' }, counts[code].toLocaleString('en-US')),
      ),
    );
  });
  const all = h('button', { type: 'button', class: 'small', click: () => setAll(true) }, 'All');
  const none = h('button', { type: 'button', class: 'small', click: () => setAll(false) }, 'None');
  function setAll(isShown: boolean): void {
    model.hidden = new Set(isShown ? [] : shown.labels.map((_, k) => k));
    void model.paint();
  }
  const parts: HTMLElement[] = [h('ul', { class: 'groups' }, ...entries)];
  if (shown.labels.length > mostEntries) {
    parts.push(h('p', { class: 'note' }, `and ${shown.labels.length - mostEntries} more groups`));
  }
  if (shown.labels.length > 1) parts.push(h('div', { class: 'buttons' }, all, none));
  return parts;
}

// ---- numbers

/// The bar of colours with the histogram on it and a filter of two handles. Handles stay the same
/// elements while they are dragged.
function drawNumberLegend(model: Model, shown: Shown, legend: HTMLElement): void {
  let parts = handles.get(legend);
  if (!parts || !legend.contains(parts.low)) {
    const make = (which: 'low' | 'high'): HTMLInputElement =>
      h('input', {
        type: 'range',
        min: 0,
        max: 1000,
        step: 1,
        id: `filter-${which}`,
        'aria-label': which === 'low' ? 'Show from' : 'Show up to',
      });
    parts = {
      low: make('low'),
      high: make('high'),
      picture: h('div', { class: 'histogram' }),
      text: h('div', { class: 'ends' }),
      title: h('p', { class: 'legend-title' }),
      note: h('p', { class: 'note' }),
    };
    const own = parts;
    const onInput = (e: Event): void => {
      if (Number(own.low.value) > Number(own.high.value)) {
        if (e.target === own.low) own.low.value = own.high.value;
        else own.high.value = own.low.value;
      }
      const { full } = model.shown ?? shown;
      const at = (x: string): number => full.low + (Number(x) / 1000) * (full.high - full.low);
      const isWhole = own.low.value === '0' && own.high.value === '1000';
      model.filter = isWhole
        ? null
        : {
            low: own.low.value === '0' ? -Infinity : at(own.low.value),
            high: own.high.value === '1000' ? Infinity : at(own.high.value),
          };
      void model.paint();
    };
    parts.low.addEventListener('input', onInput);
    parts.high.addEventListener('input', onInput);
    legend.replaceChildren(
      parts.title,
      parts.picture,
      h('div', { class: 'filter' }, parts.low, parts.high),
      parts.text,
      parts.note,
    );
    handles.set(legend, parts);
  }
  if (!model.filter) {
    parts.low.value = '0';
    parts.high.value = '1000';
  }
  parts.title.textContent = clipped(shown.title, 120);
  parts.picture.replaceChildren(histogramPicture(model, shown));
  const { full } = shown;
  const width = full.high - full.low;
  const low = model.filter && Number.isFinite(model.filter.low) ? model.filter.low : full.low;
  const high = model.filter && Number.isFinite(model.filter.high) ? model.filter.high : full.high;
  parts.text.replaceChildren(h('span', {}, shortNumber(low)), h('span', {}, width > 0 ? shortNumber(high) : ''));
  parts.note.textContent = shown.note;
  parts.note.hidden = shown.note === '';
}
const handles = new WeakMap<
  HTMLElement,
  {
    low: HTMLInputElement;
    high: HTMLInputElement;
    picture: HTMLElement;
    text: HTMLElement;
    title: HTMLElement;
    note: HTMLElement;
  }
>();

function histogramPicture(model: Model, shown: Shown): SVGSVGElement {
  const colors = ramp(shown.scale, shown.isReversed, model.isDark);
  const counts = shown.values ? histogram(shown.values, shown.full, bins) : new Uint32Array(bins);
  const most = Math.max(1, ...counts);
  const width = shown.full.high - shown.full.low;
  const picture = svg('svg', {
    viewBox: `0 0 ${bins * 5} 54`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': `Histogram of ${clipped(shown.title, 80)}`,
  });
  for (let k = 0; k < bins; ++k) {
    const value = shown.full.low + ((k + 0.5) / bins) * width;
    const span = shown.shown.high - shown.shown.low;
    const share = span > 0 ? Math.max(0, Math.min(1, (value - shown.shown.low) / span)) : 0.5;
    const c = 3 * Math.min(255, Math.floor(share * 256));
    const isOut = model.filter !== null && (value < model.filter.low || value > model.filter.high);
    // Square roots: a tall bar must not hide that others are there at all.
    const tall = counts[k] > 0 ? Math.max(1.5, 44 * Math.sqrt(counts[k] / most)) : 0;
    const fill = cssColor([colors[c], colors[c + 1], colors[c + 2]]);
    picture.append(
      svg('rect', {
        x: k * 5 + 0.3,
        y: 46 - tall,
        width: 4.4,
        height: tall,
        fill,
        opacity: isOut ? 0.18 : 1,
      }),
    );
    picture.append(svg('rect', { x: k * 5, y: 48, width: 5.2, height: 6, fill, opacity: isOut ? 0.25 : 1 }));
  }
  return picture;
}

// ---- two at a time

function twoLegend(model: Model, shown: Shown): HTMLElement {
  const steps = 12;
  const square = svg('svg', {
    viewBox: `0 0 ${steps} ${steps}`,
    class: 'square',
    role: 'img',
    'aria-label': 'Colours of two values at a time',
  });
  for (let a = 0; a < steps; ++a) {
    for (let b = 0; b < steps; ++b) {
      const fill = cssColor(blend(a / (steps - 1), b / (steps - 1), model.isDark));
      square.append(svg('rect', { x: a, y: steps - 1 - b, width: 1.05, height: 1.05, fill }));
    }
  }
  return h(
    'div',
    { class: 'two' },
    h('span', { class: 'up' }, clipped(shown.second, 30)),
    square,
    h('span', { class: 'along' }, clipped(shown.title, 30)),
  );
}
