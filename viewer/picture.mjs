// The front picture of the README, from the demo's page of a tree: heat that spreads from the middle of
// it, in four maps.
//   node viewer/picture.mjs PAGE.html PICTURE.png
import { resolve } from 'node:path';
import { launch } from './chromium.mjs';

const [html, png] = process.argv.slice(2).map((path) => resolve(path));
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
await page.goto('file://' + html);
await page.waitForFunction(
  () => window.geotherm?.board.stats.completeAt > 0 && window.geotherm.model.places.every((p) => p),
);
// The point of which the others are nearest on the whole, in the first map.
const point = await page.evaluate(() => {
  const { model } = window.geotherm;
  const places = model.places[0];
  const far = (i) => {
    let sum = 0;
    for (let j = 0; j < model.n; j += 10)
      sum += Math.hypot(places[3 * i] - places[3 * j], places[3 * i + 1] - places[3 * j + 1]);
    return sum;
  };
  let [best, least] = [0, Infinity];
  for (let i = 0; i < model.n; ++i) if (far(i) < least) [best, least] = [i, far(i)];
  model.pick(best);
  return best;
});
await page.click('#spread-heat');
await page.waitForFunction(() => window.geotherm.model.heat.readyCount === window.geotherm.model.heat.times.length);
await page.locator('#time').fill('33');
await page.mouse.move(640, 2);
await page.waitForTimeout(1000);
await page.screenshot({ path: png });
await browser.close();
console.log(`${png}: from point ${point}`);
