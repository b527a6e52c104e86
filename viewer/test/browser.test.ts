// The page in a real browser: every control is driven, and what it does is looked at.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Fixture, longName, n, nasty, numbersOf, settle, type Picture, type Shown } from './fixture.ts';

let fixture: Fixture;
let page: Page;

before(async () => {
  fixture = await Fixture.make();
  fixture.writeData();
  const columns = ['--columns', 'x,y,z'];
  fixture.geotherm(
    'embed',
    'points.csv',
    ...columns,
    '-o',
    'map.csv',
    '--html',
    'page.html',
    '--compare',
    'pca,tsne',
    '--shortcuts',
    'auto',
    '--refine',
    'off',
    '--features',
    'geneA,geneB',
    '--annotations',
    'cells.csv',
    '--color',
    'kind',
    '--title',
    `Roll ${nasty}`,
    '--link',
    'Three dimensions=deep.html',
  );
  page = await fixture.open('page.html');
});
after(() => fixture.end());

const model = <T>(read: (shown: Shown['geotherm']) => T): Promise<T> =>
  page.evaluate(`(${read.toString()})(window.geotherm)`) as Promise<T>;
async function placeOf(point: number, panel = 0): Promise<[number, number]> {
  return page.evaluate(
    ([i, k]) => {
      const { board } = (window as unknown as Shown).geotherm;
      const box = board.panels[k].area.getBoundingClientRect();
      const at = board.screenOf(k, i)!;
      return [box.left + at[0], box.top + at[1]] as [number, number];
    },
    [point, panel],
  );
}
async function slide(id: string, value: number): Promise<void> {
  await page.locator(id).evaluate((input, x) => {
    (input as HTMLInputElement).value = String(x);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);
}
async function clickPoint(point: number): Promise<void> {
  const [x, y] = await placeOf(point);
  await page.mouse.click(x, y);
  await settle(page);
}
async function drag(from: [number, number], to: [number, number]): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await page.mouse.move(...to);
  await page.mouse.up();
}
async function areaBox(panel = 0): Promise<{ x: number; y: number; width: number; height: number }> {
  return (await page.locator('.area').nth(panel).boundingBox())!;
}
const middle = async (panel = 0): Promise<[number, number]> => {
  const box = await areaBox(panel);
  return [box.x + box.width / 2, box.y + box.height / 2];
};
async function chooseColor(label: string): Promise<void> {
  await page.selectOption('#color', { label });
  await settle(page);
}
async function downloaded(button: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return readFileSync(await download.path());
}

let first: Picture;

test('opens from the file system and shows every map, with nothing of the data as markup', async () => {
  assert.deepEqual(await page.locator('.panel h2').allTextContents(), ['HeatGeo', 'PCA', 't-SNE']);
  first = await fixture.picture(page);
  for (let k = 0; k < 3; ++k) assert.ok((await fixture.picture(page, k)).ink() > 0.01, `panel ${k} is empty`);
  assert.equal(await page.locator('h1').getAttribute('title'), `Roll ${nasty}`);
  assert.equal(await page.evaluate(() => (window as unknown as Shown).hacked), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.locator('#legend').textContent())?.includes('<b>late</b>'));
});

test('the page looks as it did: coarse pictures of its maps', async () => {
  const stored = join(process.env['VIEWER_DIR'] ?? process.cwd(), 'test/pictures.json');
  const now: Record<string, number[]> = {};
  for (let k = 0; k < 3; ++k) now[`light ${k}`] = (await fixture.picture(page, k)).coarse();
  if (process.env['RENEW_PICTURES'] === '1' || !existsSync(stored))
    writeFileSync(stored, JSON.stringify(now).replaceAll('],', '],\n') + '\n');
  const before = JSON.parse(readFileSync(stored, 'utf8')) as Record<string, number[]>;
  for (const [name, cells] of Object.entries(now)) {
    // Layouts may move by rounding on another machine: cells of a twelfth of the width, 12 of 255 on average.
    const mean = cells.reduce((sum, x, k) => sum + Math.abs(x - before[name][k]), 0) / cells.length;
    assert.ok(mean < 12, `${name}: ${mean}`);
  }
});

test('drag moves, the wheel zooms, and Show all brings the first view back', async () => {
  const [x, y] = await middle();
  const at = await placeOf(5);
  await drag([x, y], [x + 60, y + 25]);
  await settle(page);
  const moved = await placeOf(5);
  assert.ok(Math.abs(moved[0] - at[0] - 60) < 1.5 && Math.abs(moved[1] - at[1] - 25) < 1.5);
  assert.ok((await fixture.picture(page)).difference(first) > 0.005);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -400);
  await settle(page);
  assert.ok((await model((g) => g.board.panels[0].camera.zoom)) > 1.5);
  assert.equal(await model((g) => g.board.panels[1].camera.zoom), 1, 'other maps have coordinates of their own');
  await page.click('#reset');
  await page.mouse.move(2, 2);
  assert.ok((await fixture.picture(page)).difference(first) < 0.001);
});

test('the card under the pointer has the row of the point', async () => {
  await page.mouse.move(...(await placeOf(0)));
  await page.waitForSelector('#card:not([hidden])');
  await page.waitForFunction(() => (document.getElementById('card')?.textContent ?? '').includes('score'));
  const text = (await page.locator('#card').textContent()) ?? '';
  assert.ok(text.includes('kind') && text.includes('geneA') && text.includes('distortion, t-SNE'), text);
  assert.equal(await page.locator('.overlay .hovered').count(), 3, 'the point is marked in every panel');
  await page.mouse.move(2, 2);
  await settle(page);
  assert.ok(await page.locator('#card').isHidden());
});

test('a click takes a point: its row, its true neighbours, and how many each map keeps', async () => {
  await clickPoint(5);
  const picked = await model((g) => g.model.picked);
  assert.ok(picked >= 0);
  await page.waitForSelector('#point .kept');
  assert.equal(await page.locator('#point .kept li').count(), 3);
  assert.equal(await page.locator('.near li').count(), 12);
  assert.equal(await page.locator('.overlay .link').count(), 36);
  await page.locator('#point summary').click();
  await page.locator('.near button').first().click();
  await settle(page);
  assert.notEqual(await model((g) => g.model.picked), picked, 'a neighbour can be followed');
});

test('very long names and names of markup are shown as text, and cut', async () => {
  for (const [point, name] of [
    [0, nasty],
    [1, longName],
  ] as const) {
    await page.evaluate(
      (i) => (window as unknown as { geotherm: { model: { pick(i: number): void } } }).geotherm.model.pick(i),
      point,
    );
    await page.waitForFunction(
      (start) => document.querySelector('#point .point-name')?.textContent?.startsWith(start),
      name.slice(0, 8),
    );
    const shown = (await page.locator('#point .point-name').textContent()) ?? '';
    assert.ok(shown.length <= 300 && name.startsWith(shown.slice(0, 20)));
  }
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 1280, 'nothing sticks out');
});

test('the lasso selects in all panels, adds and takes away, and the selection is saved as CSV', async () => {
  await page.click('#tool-lasso');
  const box = await areaBox();
  const around = async (left: number, right: number, keys: string[] = []): Promise<void> => {
    for (const key of keys) await page.keyboard.down(key);
    const corners: [number, number][] = [
      [left, 0.02],
      [right, 0.02],
      [right, 0.98],
      [left, 0.98],
    ].map(([a, b]) => [box.x + a * box.width, box.y + b * box.height]);
    await page.mouse.move(...corners[0]);
    await page.mouse.down();
    for (const corner of [...corners, corners[0]]) await page.mouse.move(...corner, { steps: 3 });
    await page.mouse.up();
    for (const key of keys) await page.keyboard.up(key);
    await settle(page);
  };
  await around(0.02, 0.4);
  const selected = await model((g) => g.model.selectedCount);
  assert.ok(selected > 20 && selected < n - 20, String(selected));
  assert.ok(((await page.locator('#selected').textContent()) ?? '').startsWith(`${selected} of ${n}`));
  for (let i = 0; i < n; i += 37) {
    const at = await placeOf(i);
    const isInside = at[0] > box.x + 0.02 * box.width && at[0] < box.x + 0.4 * box.width;
    assert.equal(
      await page.evaluate((k) => (window as unknown as Shown).geotherm.model.selected![k] === 1, i),
      isInside,
      `point ${i}`,
    );
  }
  const faint = await page.evaluate(() =>
    (window as unknown as Shown).geotherm.model.colors[0].reduce((sum, c) => sum + (c >>> 24 < 128 ? 1 : 0), 0),
  );
  assert.equal(faint, n - selected, 'the others are faint');
  const csv = (await downloaded('#save-csv')).toString('utf8').trimEnd().split('\r\n');
  assert.equal(csv.length, selected + 1);
  assert.ok(csv[0].startsWith('row,name,') && csv[0].includes('geneA'));
  assert.match(csv[0], /^row,name,(.+) 1,\1 2,/, 'coordinates of the map');
  await around(0.4, 0.98, ['Control']);
  const more = await model((g) => g.model.selectedCount);
  assert.ok(more > selected);
  await around(0.02, 0.4, ['Alt']);
  assert.equal(await model((g) => g.model.selectedCount), more - selected);
  await page.click('#clear');
  assert.equal(await model((g) => g.model.selected), null);
  await page.click('#tool-move');
});

test('shift and drag is a lasso as well', async () => {
  const box = await areaBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 3, box.y + 3);
  await page.mouse.down();
  for (const [a, b] of [
    [0.99, 0.01],
    [0.99, 0.99],
    [0.01, 0.99],
  ] as const)
    await page.mouse.move(box.x + a * box.width, box.y + b * box.height, { steps: 2 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await settle(page);
  assert.ok((await model((g) => g.model.selectedCount)) > n * 0.9);
  await page.click('#clear');
});

test('search finds names, goes to one, and selects all found', async () => {
  await page.fill('#search', 'CELL-01');
  await page.waitForFunction(() => document.getElementById('found')?.textContent === '10 found');
  await page.click('#select-found');
  await settle(page);
  assert.equal(await model((g) => g.model.selectedCount), 10);
  await page.click('#clear');
  await page.fill('#search', 'cell-123');
  await page.locator('#results button').first().click();
  await settle(page);
  assert.equal(await model((g) => g.model.picked), 123);
  const [x, y] = await placeOf(123);
  const [mx, my] = await middle();
  assert.ok(Math.hypot(x - mx, y - my) < 2, 'it is in the middle now');
  await page.fill('#search', 'no such name');
  await page.waitForFunction(() => document.getElementById('found')?.textContent === 'No point has this name.');
  await page.fill('#search', '');
  await page.click('#reset');
});

test('the legend hides groups, shows one alone, none and all', async () => {
  await chooseColor('kind');
  const full = (await fixture.picture(page, 1)).ink();
  const entry = page.locator('#legend .groups button').first();
  await entry.click();
  await settle(page);
  assert.equal(await page.locator('#legend .groups button').first().getAttribute('aria-pressed'), 'false');
  const less = (await fixture.picture(page, 1)).ink();
  assert.ok(less < 0.95 * full);
  await entry.click();
  await page.locator('#legend .groups button').nth(1).dblclick();
  await settle(page);
  const pressed = await page
    .locator('#legend .groups button')
    .evaluateAll((all) => all.map((b) => b.getAttribute('aria-pressed')));
  assert.deepEqual(pressed, ['false', 'true', 'false']);
  await page.getByRole('button', { name: 'None', exact: true }).click();
  await settle(page);
  assert.ok((await fixture.picture(page, 1)).ink() < 0.2 * full, 'only the marks of the picked point are left');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  assert.ok(Math.abs((await fixture.picture(page, 1)).ink() - full) < 0.1 * full);
});

test('the histogram filters numbers, by pointer and by keyboard', async () => {
  await chooseColor('score');
  assert.equal(await page.locator('.histogram svg').count(), 1);
  await slide('#filter-high', 500);
  await settle(page);
  const hidden = await page.evaluate(() =>
    (window as unknown as Shown).geotherm.model.colors[0].reduce((sum, c) => sum + (c === 0 ? 1 : 0), 0),
  );
  assert.ok(hidden > n / 4 && hidden < (3 * n) / 4, String(hidden));
  await page.focus('#filter-low');
  for (let k = 0; k < 5; ++k) await page.keyboard.press('PageUp');
  await settle(page);
  const more = await page.evaluate(() =>
    (window as unknown as Shown).geotherm.model.colors[0].reduce((sum, c) => sum + (c === 0 ? 1 : 0), 0),
  );
  assert.ok(more > hidden);
  await slide('#filter-low', 0);
  await slide('#filter-high', 1000);
});

test('features colour points, and two at a time are blended', async () => {
  await chooseColor('geneA');
  const colors = (): Promise<number> =>
    page.evaluate(() => new Set((window as unknown as Shown).geotherm.model.colors[0]).size);
  assert.ok((await colors()) > 10);
  await page.selectOption('#second', { label: 'geneB' });
  await settle(page);
  assert.equal(await page.locator('#legend .two .square').count(), 1);
  const picture = await fixture.picture(page, 1);
  assert.ok(picture.share((r, g, b) => r > 170 && g < 140 && b < 100) > 0.0005, 'orange: the first');
  assert.ok(picture.share((r, _, b) => b > 130 && r < 100) > 0.0005, 'blue: the second');
  await chooseColor('distortion');
  assert.equal(await page.locator('#legend .two').count(), 0, 'what each map has for itself stands alone');
  await chooseColor('kind');
  assert.ok(await page.locator('#second').isHidden());
});

test('size and opacity follow their sliders and go back to automatic', async () => {
  const usual = (await fixture.picture(page, 1)).ink();
  await slide('#size', 12);
  const large = (await fixture.picture(page, 1)).ink();
  assert.ok(large > 1.3 * usual);
  await page.getByLabel('Size auto').click();
  assert.ok(Math.abs((await fixture.picture(page, 1)).ink() - usual) < 0.02 * usual + 0.001);
  const dark = (picture: Picture): number => picture.share((r, g, b) => r + g + b < 450);
  const before = dark(await fixture.picture(page, 1));
  await slide('#opacity', 0.1);
  assert.ok(dark(await fixture.picture(page, 1)) < 0.5 * before);
  await page.getByLabel('Opacity auto').click();
});

test('one map alone, and one that turns into another', async () => {
  await page.click('#layout-one');
  await page.selectOption('#from', { label: 'PCA' });
  await settle(page);
  assert.equal(await page.locator('.panel:not([hidden])').count(), 1);
  assert.equal(await page.locator('.panel:not([hidden]) h2').textContent(), 'PCA');
  await page.click('#layout-morph');
  await page.selectOption('#from', { label: 'HeatGeo' });
  await page.selectOption('#to', { label: 't-SNE' });
  const at = async (): Promise<[number, number]> => placeOf(200);
  const start = await at();
  await slide('#morph', 1);
  await settle(page);
  const end = await at();
  const picture = await fixture.picture(page, 0);
  await slide('#morph', 0.5);
  await settle(page);
  const half = await at();
  assert.ok(Math.hypot(end[0] - start[0], end[1] - start[1]) > 5);
  assert.ok(Math.abs(half[0] - (start[0] + end[0]) / 2) < 1 && Math.abs(half[1] - (start[1] + end[1]) / 2) < 1);
  assert.ok((await fixture.picture(page, 0)).difference(picture) > 0.01, 'what is drawn moves as well');
  await slide('#morph', 0);
  await page.click('#layout-grid');
  await settle(page);
  assert.equal(await page.locator('.panel:not([hidden])').count(), 3);
});

test('trust: every map has its own distortion; uncertainty and removed edges are there too', async () => {
  const options = await page.locator('#color optgroup[label="Trust"] option').allTextContents();
  assert.deepEqual(options.sort(), ['distortion', 'share of edges removed', 'uncertainty']);
  await chooseColor('distortion');
  const means = await page.evaluate(() => {
    const { model: m } = (window as unknown as Shown).geotherm;
    return [0, 1, 2].map((p) => m.colors[m.colorSet(p)].reduce((sum, c) => sum + (c & 255), 0) / m.n);
  });
  assert.ok(
    means[1] > means[0] + 20,
    `the roll that is flat by PCA is hotter than the unrolled one: ${means.join(' ')}`,
  );
  assert.ok(((await page.locator('#legend').textContent()) ?? '').includes('a factor of 2'));
  await chooseColor('share of edges removed');
  assert.ok(await page.evaluate(() => (window as unknown as Shown).geotherm.model.shown!.values!.some((x) => x > 0)));
});

test('heat spreads from the clicked point as the slider moves, and its distances are the library\u2019s', async () => {
  await clickPoint(40);
  const source = await model((g) => g.model.picked);
  await page.click('#spread-heat');
  await page.waitForFunction(() => {
    const { heat } = (window as unknown as Shown).geotherm.model;
    return heat!.times.length > 0 && heat!.readyCount === heat!.times.length;
  });
  const warm = async (): Promise<number> => {
    await settle(page);
    return page.evaluate(() =>
      (window as unknown as Shown).geotherm.model.shown!.values!.reduce((sum, x) => sum + (x > -6 ? 1 : 0), 0),
    );
  };
  await slide('#time', 1);
  const few = await warm();
  const cold = await fixture.picture(page, 0);
  await slide('#time', 30);
  const many = await warm();
  assert.ok(few < many / 2, `${few} warm points, then ${many}`);
  assert.ok((await fixture.picture(page, 0)).difference(cold) > 0.01);
  await page.click('#own-time');
  await page.click('#spread-distance');
  await settle(page);
  const shown = await page.evaluate(() => Array.from((window as unknown as Shown).geotherm.model.shown!.values!));
  const ownTime = await model((g) => g.model.heat!.times[g.model.timeIndex]);
  fixture.geotherm(
    'distances',
    'points.csv',
    '--columns',
    'x,y,z',
    '-o',
    'from.npy',
    '--from',
    String(source),
    '--shortcuts',
    'auto',
    '--time',
    String(ownTime),
  );
  const truth = numbersOf(readFileSync(join(fixture.folder, 'from.npy')));
  assert.equal(truth.length, n);
  const far = Math.max(...truth);
  // Diagonals come from 128 random vectors: a volume term good to a tenth or so, in 4 t.
  const slack = 0.35 * 4 * ownTime;
  for (let j = 0; j < n; ++j)
    if (Number.isFinite(shown[j]))
      assert.ok(Math.abs(shown[j] ** 2 - truth[j] ** 2) < slack + 0.01 * far * far, `${j}: ${shown[j]} ${truth[j]}`);
  await page.click('#spread-heat');
  await page.click('#play');
  const from = await model((g) => g.model.timeIndex);
  await page.waitForFunction((index) => (window as unknown as Shown).geotherm.model.timeIndex !== index, from);
  await page.click('#play');
  await settle(page);
  const rest = await model((g) => g.model.timeIndex);
  await page.waitForTimeout(400);
  assert.equal(await model((g) => g.model.timeIndex), rest, 'paused');
  await page.click('#spread-off');
});

test('the entropy curve has the chosen time, and a click on it sets the slider', async () => {
  assert.ok(((await page.locator('#entropy-text').textContent()) ?? '').startsWith('Chosen t = '));
  const box = (await page.locator('#entropy').boundingBox())!;
  await page.locator('#entropy').scrollIntoViewIfNeeded();
  const before = await model((g) => g.model.timeIndex);
  await page.locator('#entropy').click({ position: { x: box.width * 0.2, y: 30 } });
  assert.notEqual(await model((g) => g.model.timeIndex), before);
  assert.equal(await page.locator('#entropy .chosen').count(), 1);
});

test('the shortcut edges that were removed are drawn on request', async () => {
  const red = (picture: Picture): number => picture.share((r, g, b) => r > 150 && g < 110 && b < 110);
  await chooseColor('score');
  const before = red(await fixture.picture(page, 1));
  await page.locator('#removed').check();
  const after = red(await fixture.picture(page, 1));
  assert.ok(after > before + 0.0005, `${before} ${after}`);
  await page.locator('#removed').uncheck();
});

test('the manifest of the run is there', async () => {
  await page.locator('#manifest summary').click();
  const text = (await page.locator('#manifest pre').textContent()) ?? '';
  const manifest = JSON.parse(text) as { command: string; compared: { method: string }[] };
  assert.equal(manifest.command, 'embed');
  assert.deepEqual(
    manifest.compared.map((c) => c.method),
    ['pca', 'tsne'],
  );
});

test('dark and light, and back to the same picture', async () => {
  await page.click('#reset');
  await page.mouse.move(2, 2);
  const light = await fixture.picture(page, 2);
  await page.click('#theme');
  const dark = await fixture.picture(page, 2);
  assert.ok(dark.pixel(0)[0] < 60 && light.pixel(0)[0] > 200);
  await page.click('#theme');
  assert.ok((await fixture.picture(page, 2)).difference(light) < 0.001);
});

test('pictures are saved as PNG and SVG, with legend', async () => {
  await chooseColor('kind');
  const png = await downloaded('#save-png');
  const picture = await fixture.decoded(png);
  assert.ok(picture.width > 1800 && picture.ink() > 0.005);
  const svg = (await downloaded('#save-svg')).toString('utf8');
  const circles = svg.match(/<circle/g)?.length ?? 0;
  assert.ok(circles >= 3 * n && circles <= 3 * n + 5, String(circles));
  assert.ok(svg.includes('&lt;b&gt;late&lt;/b&gt;') && !svg.includes('<b>'));
});

test('the keyboard reaches the maps and moves them', async () => {
  await page.locator('.area').first().focus();
  const before = await placeOf(5);
  await page.keyboard.press('ArrowRight');
  await settle(page);
  assert.ok(Math.abs((await placeOf(5))[0] - before[0] + 40) < 1);
  await page.keyboard.press('+');
  assert.ok((await model((g) => g.board.panels[0].camera.zoom)) > 1.2);
  await page.keyboard.press('-');
  await page.keyboard.press('0');
  assert.equal(await model((g) => g.board.panels[0].camera.zoom), 1);
  await page.keyboard.press('Enter');
  assert.ok((await model((g) => g.model.picked)) >= 0);
  await page.keyboard.press('Escape');
  assert.equal(await model((g) => g.model.picked), -1);
  const reached = new Set<string>();
  await page.locator('#layout-grid').focus();
  for (let k = 0; k < 60; ++k) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement?.id || document.activeElement?.className || ''));
  }
  for (const id of [
    'tool-lasso',
    'save-png',
    'theme',
    'area',
    'color',
    'spread-heat',
    'time',
    'search',
    'size',
    'opacity',
    'removed',
  ])
    assert.ok(reached.has(id) || reached.has(`${id} is-lasso`), `${id} is not reached by tab`);
});

test('axe finds no serious fault, in light and in dark', async () => {
  const axe = readFileSync(
    join(process.env['VIEWER_DIR'] ?? process.cwd(), 'node_modules/axe-core/axe.min.js'),
    'utf8',
  );
  for (const isDark of [false, true]) {
    const other = await fixture.open('page.html', { isDark });
    await other.evaluate(axe);
    const found = await other.evaluate(async () => {
      const { axe: a } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
      };
      return (await a.run()).violations
        .filter((v) => v.impact === 'serious' || v.impact === 'critical')
        .map((v) => `${v.id}: ${v.nodes[0].html}`);
    });
    assert.deepEqual(found, []);
    await other.close();
  }
});

test('nothing went wrong on the way: no error in the console, no request', () => {
  assert.deepEqual(fixture.problems, []);
});
