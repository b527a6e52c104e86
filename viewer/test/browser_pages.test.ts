// Pages of other kinds in a real browser: three dimensions, many points, a trajectory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fixture, settle, type Shown } from './fixture.ts';

let fixture: Fixture;
const columns = ['--columns', 'x,y,z'];

before(async () => {
  fixture = await Fixture.make();
  fixture.writeData();
});
after(() => fixture.end());

test('a map of three dimensions rotates', async () => {
  const asked = ['--method', 'pca', '--n-components', '3'];
  fixture.geotherm('embed', 'points.csv', ...columns, '-o', 'deep.csv', '--html', 'deep.html', ...asked);
  const deep = await fixture.open('deep.html');
  const before = await fixture.picture(deep);
  assert.ok(before.ink() > 0.005);
  const box = (await deep.locator('.area').boundingBox())!;
  await deep.mouse.move(box.x + 300, box.y + 300);
  await deep.mouse.down();
  await deep.mouse.move(box.x + 450, box.y + 330, { steps: 4 });
  await deep.mouse.up();
  await deep.mouse.move(2, 2);
  assert.ok((await fixture.picture(deep)).difference(before) > 0.01);
  const rotation = await deep.evaluate(() => (window as unknown as Shown).geotherm.board.panels[0].camera.rotation[2]);
  await deep.locator('.area').focus();
  await deep.keyboard.press('ArrowLeft');
  assert.notEqual(
    await deep.evaluate(() => (window as unknown as Shown).geotherm.board.panels[0].camera.rotation[2]),
    rotation,
  );
  await deep.close();
});

test('more than 50,000 points: heat on landmarks, true neighbours of a sample, and the page says so', async () => {
  const many = 50_500;
  fixture.geotherm('synth', 'swiss-roll', '--n', String(many), '-o', 'many.npz');
  fixture.geotherm('embed', 'many.npz:X', '-o', 'many.csv', '--html', 'many.html', '--refine', 'off');
  const large = await fixture.open('many.html');
  const shown = <T>(read: (g: Shown['geotherm']) => T): Promise<T> =>
    large.evaluate(`(${read.toString()})(window.geotherm)`) as Promise<T>;
  assert.match((await large.locator('#landmarks').textContent())!, /10,000 landmarks/);
  await large.evaluate(() => (window as unknown as Shown).geotherm.model.pick(7));
  assert.match((await large.locator('#sampled').textContent())!, /sample of 20,000 points/);
  assert.equal(await large.locator('ol.near li').count(), 12);
  await large.click('#spread-distance');
  await large.waitForFunction(
    () => {
      const { model } = (window as unknown as Shown).geotherm;
      return model.heat!.times.length > 0 && model.heat!.readyCount === model.heat!.times.length;
    },
    undefined,
    { timeout: 60_000 },
  );
  await large.click('#own-time');
  await settle(large);
  assert.ok((await fixture.picture(large)).ink() > 0.01);
  assert.ok((await shown((g) => g.model.heat!.graph.places)) === 10_000);
  await large.close();
});

test('a trajectory: the tree over the map, fates as colours, and the flow from the root', async () => {
  fixture.geotherm('pseudotime', 'points.csv', ...columns, '-o', 'order.csv', '--root', '2', '--html', 'order.html');
  const order = await fixture.open('order.html');
  const shown = <T>(read: (g: Shown['geotherm']) => T): Promise<T> =>
    order.evaluate(`(${read.toString()})(window.geotherm)`) as Promise<T>;
  await order.locator('.milestone.root').waitFor();
  assert.ok((await order.locator('polyline.branch').count()) >= 1);
  assert.equal(await shown((g) => g.model.channel!.label), 'pseudotime');
  await order.locator('#tree').uncheck();
  await settle(order);
  assert.equal(await order.locator('polyline.branch').count(), 0);
  await order.locator('#tree').check();
  await order.locator('#trajectory-1').click();
  assert.equal(await shown((g) => g.model.channel!.label), 'branch');
  await order.locator('#play-flow').click();
  await order.waitForFunction(() => Number((document.getElementById('flow') as HTMLInputElement).value) > 0.05);
  await order.locator('#play-flow').click();
  const reached = await shown((g) => g.model.filter!.high);
  assert.ok(reached > 0 && reached < 1);
  const before = await fixture.picture(order);
  await order.locator('#flow').evaluate((input) => {
    (input as HTMLInputElement).value = '1';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await settle(order);
  assert.equal(await shown((g) => g.model.filter), null);
  assert.ok((await fixture.picture(order)).ink() > before.ink());
  await order.close();
});

test('nothing went wrong on the way: no error in the console, no request', () => {
  assert.deepEqual(fixture.problems, []);
});
