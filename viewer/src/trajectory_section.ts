// The part of the side bar that shows a trajectory: the tree over the maps, order, branches and fates as
// colours, and the flow from the root.
import { clipped, h } from './dom.ts';
import type { Model } from './model.ts';

const seconds = 6; // from the root to the last point

export function trajectorySection(model: Model): HTMLElement | null {
  const { trajectory } = model.store.head;
  if (!trajectory) return null;
  const order = model.channels.find((c) => c.label === trajectory.pseudotime);
  if (!order) return null;

  const tree = h('input', { type: 'checkbox', id: 'tree', checked: true });
  tree.addEventListener('change', () => {
    model.treeShown = tree.checked;
    model.emit('look');
  });
  const choices = [trajectory.pseudotime, ...trajectory.columns].flatMap((name) => {
    const channel = model.channels.find((c) => c.label === name);
    return channel ? [channel] : [];
  });
  const buttons = choices.map((channel, k) =>
    h(
      'button',
      {
        type: 'button',
        class: 'small',
        id: `trajectory-${k}`,
        click: () => {
          stop();
          model.chooseChannel(channel);
        },
      },
      clipped(channel.label, 24),
    ),
  );

  const slider = h('input', {
    type: 'range',
    id: 'flow',
    min: 0,
    max: 1,
    step: 0.005,
    value: 1,
    'aria-label': 'Pseudotime that the flow has reached',
  });
  const play = h('button', { type: 'button', id: 'play-flow', class: 'small', click: () => toggle() }, 'Play the flow');
  let handle = 0;
  let startedAt = 0;
  const reach = (share: number): void => {
    slider.value = String(share);
    if (model.channel !== order) model.chooseChannel(order);
    model.filter = share < 1 ? { low: 0, high: share } : null;
    void model.paint();
  };
  const stop = (): void => {
    cancelAnimationFrame(handle);
    handle = 0;
    play.textContent = 'Play the flow';
  };
  const step = (now: number): void => {
    if (startedAt === 0) startedAt = now;
    const share = Math.min(1, (now - startedAt) / (1000 * seconds));
    if (share >= 1) {
      stop();
      reach(1);
      return;
    }
    reach(share);
    handle = requestAnimationFrame(step);
  };
  const toggle = (): void => {
    if (handle !== 0) return stop();
    play.textContent = 'Pause';
    startedAt = 0;
    const from = Number(slider.value) < 1 ? Number(slider.value) : 0;
    handle = requestAnimationFrame((now) => {
      startedAt = now - from * 1000 * seconds;
      step(now);
    });
  };
  slider.addEventListener('input', () => {
    stop();
    reach(Number(slider.value));
  });
  const refresh = (): void =>
    choices.forEach((channel, k) =>
      buttons[k].setAttribute('aria-pressed', String(model.channel === channel && model.spread === 'off')),
    );
  model.on('colors', refresh);
  refresh();
  const count = (n: number, word: string, plural: string): string => `${n} ${n === 1 ? word : plural}`;
  const nBranchings = trajectory.milestones.filter(
    (_, m) => trajectory.edges.filter(([from, to]) => from === m || to === m).length > 2,
  ).length;
  return h(
    'section',
    { class: 'box' },
    h('h3', {}, 'Trajectory'),
    h('label', { class: 'check' }, tree, h('span', {}, 'Tree over the maps')),
    h('div', { class: 'buttons', role: 'group', 'aria-label': 'Colour by the trajectory' }, ...buttons),
    h('div', { class: 'row' }, slider),
    h('div', { class: 'buttons' }, play),
    h(
      'p',
      { class: 'note', id: 'trajectory-text' },
      `From ${trajectory.milestones[0]}: ${count(trajectory.ends.length, 'end', 'ends')}, ` +
        `${count(nBranchings, 'branching', 'branchings')}. Filled circles are ends.`,
    ),
  );
}
