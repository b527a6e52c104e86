// Puts the page together once the document has been read.
import { Board } from './board.ts';
import { colorSection } from './color_section.ts';
import { PageStore } from './data.ts';
import { clipped, download, h } from './dom.ts';
import { pngPicture, svgPicture } from './exporters.ts';
import { Model, type Layout } from './model.ts';
import { heatSection, pointSection } from './point_section.ts';
import { Rows } from './rows.ts';
import {
  entropySection,
  lookSection,
  runSection,
  searchSection,
  selectionSection,
  shortcutSection,
} from './sections.ts';
import { trajectorySection } from './trajectory_section.ts';

function segmented<T extends string>(
  label: string,
  choices: readonly [T, string][],
  get: () => T,
  set: (x: T) => void,
): { root: HTMLElement; refresh: () => void } {
  const buttons = choices.map(([value, text]) =>
    h('button', { type: 'button', id: `${label.toLowerCase()}-${value}`, click: () => set(value) }, text),
  );
  const refresh = (): void =>
    choices.forEach(([value], k) => buttons[k].setAttribute('aria-pressed', String(get() === value)));
  refresh();
  return { root: h('div', { class: 'segmented', role: 'group', 'aria-label': label }, ...buttons), refresh };
}

function panelChoice(
  model: Model,
  id: string,
  label: string,
  get: () => number,
  set: (k: number) => void,
): HTMLSelectElement {
  const select = h(
    'select',
    { id, 'aria-label': label },
    ...model.panels.map((p, k) => h('option', { value: k }, clipped(p.name, 40))),
  );
  select.value = String(get());
  select.addEventListener('change', () => {
    set(Number(select.value));
    model.emit('layout');
    void model.paint();
  });
  return select;
}

function layoutControls(model: Model): HTMLElement[] {
  if (model.panels.length < 2) return [];
  const from = panelChoice(
    model,
    'from',
    'Map',
    () => model.panel,
    (k) => (model.panel = k),
  );
  const to = panelChoice(
    model,
    'to',
    'Map to turn into',
    () => model.other,
    (k) => (model.other = k),
  );
  const morph = h('input', {
    type: 'range',
    id: 'morph',
    min: 0,
    max: 1,
    step: 0.01,
    value: 0,
    'aria-label': 'Morph from one map to the other',
  });
  morph.addEventListener('input', () => {
    model.morph = Number(morph.value);
    model.emit('look');
  });
  const switcher = segmented<Layout>(
    'Layout',
    [
      ['grid', 'Side by side'],
      ['one', 'One'],
      ['morph', 'Morph'],
    ],
    () => model.layout,
    (layout) => {
      model.layout = layout;
      model.emit('layout');
      void model.paint();
    },
  );
  const refresh = (): void => {
    switcher.refresh();
    from.hidden = model.layout === 'grid';
    to.hidden = morph.hidden = model.layout !== 'morph';
  };
  model.on('layout', refresh);
  refresh();
  return [switcher.root, from, morph, to];
}

function topBar(model: Model, board: Board): HTMLElement {
  const { head } = model.store;
  const own = decodeURIComponent(window.location.pathname).split('/').pop();
  const links = head.links.map(({ title, file }) =>
    h('a', { href: encodeURI(file), ...(file === own ? { 'aria-current': 'page' } : {}) }, clipped(title, 30)),
  );
  const tool = segmented(
    'Tool',
    [
      ['move', 'Move'],
      ['lasso', 'Lasso'],
    ],
    () => model.tool,
    (x: 'move' | 'lasso') => {
      model.tool = x;
      tool.refresh();
      model.emit('tool');
    },
  );
  const theme = h('button', { type: 'button', id: 'theme', click: () => setTheme(!model.isDark) }, '');
  const setTheme = (isDark: boolean): void => {
    model.isDark = isDark;
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
    theme.textContent = isDark ? 'Light' : 'Dark';
    model.emit('theme');
    void model.paint();
  };
  setTheme(model.isDark);
  const reset = (): void => {
    for (const panel of board.panels) panel.camera.reset();
    board.moved();
  };
  const name = clipped(head.title || 'maps', 40).replace(/[^\w.-]+/g, '_');
  return h(
    'header',
    {},
    h(
      'div',
      { class: 'brand' },
      h('span', { class: 'mark', 'aria-hidden': 'true' }),
      h('h1', { title: head.title }, clipped(head.title || 'geotherm', 80)),
    ),
    links.length > 0 ? h('nav', { 'aria-label': 'Other pages' }, ...links) : null,
    h('div', { class: 'controls' }, ...layoutControls(model)),
    h(
      'div',
      { class: 'controls right' },
      tool.root,
      h('button', { type: 'button', id: 'reset', click: reset }, 'Show all'),
      h(
        'button',
        {
          type: 'button',
          id: 'save-png',
          click: () => void pngPicture(model, board).then((png) => download(`${name}.png`, png)),
        },
        'PNG',
      ),
      h(
        'button',
        {
          type: 'button',
          id: 'save-svg',
          click: () => download(`${name}.svg`, new Blob([svgPicture(model, board)], { type: 'image/svg+xml' })),
        },
        'SVG',
      ),
      theme,
    ),
  );
}

/// The card that follows the pointer.
function hoverCard(model: Model, board: Board, rows: Rows): HTMLElement {
  const card = h('div', { class: 'card', id: 'card', role: 'tooltip' });
  card.hidden = true;
  board.onHover = (point, x, y) => {
    if (point !== model.hovered) {
      model.hovered = point;
      model.emit('hover');
      if (point >= 0) void fill(point);
    }
    card.hidden = point < 0;
    const isRight = x > window.innerWidth - 280;
    card.style.left = `${x + (isRight ? -16 : 16)}px`;
    card.style.top = `${Math.min(y + 12, window.innerHeight - 40 - card.offsetHeight)}px`;
    card.style.transform = isRight ? 'translateX(-100%)' : '';
  };
  const fill = async (point: number): Promise<void> => {
    const name = await rows.name(point);
    const cells = await rows.cells(point, 10);
    if (model.hovered !== point) return;
    card.replaceChildren(
      h('p', { class: 'point-name' }, clipped(name, 120)),
      h('dl', {}, ...cells.flatMap(([key, value]) => [h('dt', {}, clipped(key, 40)), h('dd', {}, clipped(value, 60))])),
    );
  };
  return card;
}

async function start(): Promise<void> {
  const root = document.getElementById('app');
  if (!root) return;
  try {
    const store = PageStore.ofDocument(document);
    document.title = store.head.title ? `${store.head.title} \u2013 geotherm` : 'geotherm';
    const model = new Model(store, window.matchMedia('(prefers-color-scheme: dark)').matches);
    const rows = new Rows(model);
    const board = new Board(model);
    const parts = [
      colorSection(model),
      trajectorySection(model),
      heatSection(model),
      pointSection(model, board, rows),
      selectionSection(model, rows),
      searchSection(model, board, rows),
      lookSection(model),
      entropySection(model),
      shortcutSection(model, board),
      runSection(model),
    ];
    root.replaceChildren(
      topBar(model, board),
      h(
        'main',
        {},
        board.root,
        h('aside', { 'aria-label': 'Settings', tabindex: 0 }, ...parts.filter((part) => part !== null)),
      ),
      hoverCard(model, board, rows),
    );
    board.arrange();
    // For scripts and tests: what is shown, and where.
    Object.assign(window, { geotherm: { model, board, rows } });
    await Promise.all([model.loadMaps(), model.paint(), board.loadTree()]);
  } catch (error) {
    root.replaceChildren(
      h(
        'p',
        { class: 'failure', role: 'alert' },
        `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
      ),
    );
    throw error;
  }
}

void start();
