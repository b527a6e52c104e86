// The picked point: its row, its true nearest neighbours and how many of them each map keeps, and
// the heat that spreads from it.
import type { Board } from './board.ts';
import { clipped, h, shortNumber } from './dom.ts';
import type { Model, Spread } from './model.ts';
import type { Rows } from './rows.ts';

/// How many of the true neighbours are among as many nearest in the map.
export function keptNeighbors(places: Float32Array, point: number, neighbors: ArrayLike<number>): number {
  const d2 = (i: number): number => {
    const [dx, dy, dz] = [0, 1, 2].map((k) => places[3 * i + k] - places[3 * point + k]);
    return dx * dx + dy * dy + dz * dz;
  };
  const k = neighbors.length;
  const nearest: number[] = []; // squared distances, ascending
  for (let i = 0; i < places.length / 3; ++i) {
    if (i === point) continue;
    const d = d2(i);
    if (nearest.length === k && d >= nearest[k - 1]) continue;
    let at = nearest.length;
    while (at > 0 && nearest[at - 1] > d) --at;
    nearest.splice(at, 0, d);
    if (nearest.length > k) nearest.pop();
  }
  const reach = nearest[nearest.length - 1] ?? 0;
  let kept = 0;
  for (let j = 0; j < k; ++j) if (d2(neighbors[j]) <= reach) ++kept;
  return kept;
}

/// Where the list of a point is; of a sample, that of the sampled point nearest to it in the map.
export function listOf(point: number, rows: ArrayLike<number> | null, places: Float32Array | null): number {
  if (!rows) return point;
  let [best, least] = [0, Infinity];
  for (let r = 0; r < rows.length; ++r) {
    if (rows[r] === point) return r;
    if (!places) continue;
    let d = 0;
    for (let k = 0; k < 3; ++k) d += (places[3 * rows[r] + k] - places[3 * point + k]) ** 2;
    if (d < least) [best, least] = [r, d];
  }
  return best;
}

export function pointSection(model: Model, board: Board, rows: Rows): HTMLElement {
  const title = h('h3', {}, 'Point');
  const body = h('div', { id: 'point' });
  const hint =
    'Click a point to see its row' +
    (model.store.head.neighbors ? ', its true neighbours' : '') +
    (model.heat ? ' and the heat that spreads from it.' : '.');
  const refresh = async (): Promise<void> => {
    const { picked } = model;
    if (picked < 0) {
      board.setNeighbors(null);
      body.replaceChildren(h('p', { class: 'note' }, hint));
      return;
    }
    const table = h(
      'table',
      { class: 'values' },
      h(
        'tbody',
        {},
        ...(await rows.cells(picked)).map(([name, value]) =>
          h('tr', {}, h('th', { scope: 'row' }, clipped(name, 60)), h('td', {}, clipped(value, 200))),
        ),
      ),
    );
    const near = await neighborList(picked);
    if (model.picked !== picked) return;
    body.replaceChildren(h('p', { class: 'point-name' }, clipped(await rows.name(picked), 300)), table, ...near);
  };
  const neighborList = async (picked: number): Promise<HTMLElement[]> => {
    const lists = model.store.head.neighbors;
    if (!lists) return [];
    const indices = await model.store.array(lists.indices);
    const distances = await model.store.array(lists.distances);
    const sampled = lists.rows ? await model.store.array(lists.rows) : null;
    const list = listOf(picked, sampled, model.places[model.panel] ?? model.places[0]);
    const of = sampled ? sampled[list] : picked;
    const own = indices.slice(list * lists.k, (list + 1) * lists.k);
    board.setNeighbors(own);
    const whose = !sampled
      ? ''
      : `True neighbours are known for a sample of ${sampled.length.toLocaleString('en-US')} points` +
        (of === picked ? '; this is one of them.' : `: here they are of the nearest one, ${await rows.name(of)}.`);
    const kept = model.panels.flatMap((panel, k) => {
      const places = model.places[k];
      if (!places) return [];
      const count = keptNeighbors(places, of, own);
      const bar = h('span', { class: 'meter' }, h('span', {}));
      (bar.firstElementChild as HTMLElement).style.width = `${(100 * count) / own.length}%`;
      return [
        h(
          'li',
          {},
          h('span', { class: 'name' }, clipped(panel.name, 40)),
          bar,
          h('span', { class: 'count' }, `${count} of ${own.length}`),
        ),
      ];
    });
    const items = await Promise.all(
      [...own].map(async (j, k) =>
        h(
          'li',
          {},
          h(
            'button',
            { type: 'button', click: () => model.pick(j) },
            h('span', { class: 'name' }, clipped(await rows.name(j), 60)),
            h('span', { class: 'count' }, shortNumber(distances[list * lists.k + k])),
          ),
        ),
      ),
    );
    return [
      h('h4', {}, 'True neighbours kept in the map'),
      ...(whose ? [h('p', { class: 'note', id: 'sampled' }, whose)] : []),
      h('ul', { class: 'kept' }, ...kept),
      h(
        'details',
        {},
        h('summary', {}, `The ${own.length} true nearest, with distance`),
        h('ol', { class: 'near' }, ...items),
      ),
    ];
  };
  model.on('picked', () => void refresh());
  model.on('maps', () => void refresh());
  void refresh();
  return h('section', { class: 'box' }, title, body);
}

export function heatSection(model: Model): HTMLElement | null {
  const { heat } = model;
  if (!heat) return null;
  const modes: [Spread, string][] = [
    ['off', 'Off'],
    ['heat', 'Heat'],
    ['distance', 'Distance'],
  ];
  const buttons = modes.map(([spread, label]) =>
    h(
      'button',
      { type: 'button', id: `spread-${spread}`, 'aria-pressed': 'false', click: () => choose(spread) },
      label,
    ),
  );
  const slider = h('input', {
    type: 'range',
    id: 'time',
    min: 0,
    max: 1,
    step: 1,
    value: 0,
    'aria-label': 'Time of diffusion',
    disabled: true,
  });
  const text = h('span', { class: 'time-text', id: 'time-text' }, '');
  const play = h('button', { type: 'button', id: 'play', class: 'small', click: () => togglePlay() }, 'Play');
  const own = h(
    'button',
    { type: 'button', id: 'own-time', class: 'small', click: () => setTime(heat.ownIndex) },
    'The run\u2019s t',
  );
  const note = h('p', { class: 'note', role: 'status' }, '');
  const coarse = heat.graph.landmarks
    ? `Heat spreads over a graph of ${heat.graph.places.toLocaleString('en-US')} landmarks; each point has that of its landmark.`
    : '';
  let timer = 0;

  const choose = (spread: Spread): void => {
    if (spread === 'off') stop();
    model.chooseSpread(spread);
  };
  const setTime = (index: number): void => {
    model.timeIndex = index;
    model.filter = null;
    model.emit('heat');
    if (model.spread !== 'off') void model.paint();
  };
  const stop = (): void => {
    window.clearInterval(timer);
    timer = 0;
    play.textContent = 'Play';
  };
  const togglePlay = (): void => {
    if (timer) return stop();
    if (model.spread === 'off') model.chooseSpread('heat');
    play.textContent = 'Pause';
    timer = window.setInterval(() => {
      const ready = heat.readyCount;
      if (ready > 0) setTime((model.timeIndex + 1) % ready);
    }, 140);
  };
  slider.addEventListener('input', () => {
    stop();
    setTime(Number(slider.value));
  });
  const refresh = (): void => {
    const isKnown = heat.times.length > 0;
    slider.disabled = !isKnown;
    if (isKnown) {
      slider.max = String(heat.times.length - 1);
      slider.value = String(model.timeIndex);
      const time = heat.times[model.timeIndex];
      text.textContent = `t = ${shortNumber(time)} \u00b7 ${shortNumber(time / heat.jump)} steps`;
    }
    modes.forEach(([spread], k) => buttons[k].setAttribute('aria-pressed', String(model.spread === spread)));
    const ready = heat.readyCount;
    note.textContent =
      model.spread === 'off'
        ? 'Colour all points by heat, or by heat-geodesic distance, from the one you click.'
        : model.picked < 0
          ? 'Now click a point.'
          : ready < heat.times.length
            ? `computing: ${ready} of ${heat.times.length} times`
            : '';
    note.hidden = note.textContent === '';
  };
  model.on('heat', refresh);
  model.on('picked', refresh);
  void heat.prepare().then(() => {
    model.timeIndex = heat.ownIndex;
    refresh();
  });
  refresh();
  return h(
    'section',
    { class: 'box' },
    h('h3', {}, 'Heat'),
    h('div', { class: 'segmented', role: 'group', 'aria-label': 'Colour by heat' }, ...buttons),
    h('div', { class: 'row' }, slider),
    h('div', { class: 'buttons' }, text, play, own),
    note,
    ...(coarse ? [h('p', { class: 'note', id: 'landmarks' }, coarse)] : []),
  );
}
