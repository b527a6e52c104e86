// The panels: their places on the page, the canvas behind them, and what pointers and keys do there.
import { Camera } from './camera.ts';
import { h, svg } from './dom.ts';
import type { Model } from './model.ts';
import { insideLasso, nearestOnScreen } from './picking.ts';
import { Renderer, type View } from './renderer.ts';
import { treeOf, type Tree } from './trajectory.ts';

interface Panel {
  index: number;
  root: HTMLElement;
  area: HTMLElement;
  overlay: SVGSVGElement;
  title: HTMLElement;
  camera: Camera;
}

const slowFrame = 36; // milliseconds: above, fewer points are drawn a frame
const fastFrame = 22;
const restAfter = 160;
const firstBudget = 60000; // points a frame that every machine manages; soon more where it can
const leastBudget = 15000;

export class Board {
  readonly root: HTMLElement;
  readonly renderer: Renderer;
  readonly panels: Panel[];
  readonly stats = { frames: 0, drawn: 0, firstFrameAt: 0, completeAt: 0 };
  onHover: (point: number, x: number, y: number) => void = () => {};
  private readonly model: Model;
  private isQueued = false;
  private drawn = 0; // slots of the picture that are there
  private wasBusy = false;
  private budget = firstBudget;
  private movedAt = -Infinity;
  private lastFrameAt = 0;
  private neighbors: ArrayLike<number> | null = null;

  constructor(model: Model) {
    this.model = model;
    const canvas = h('canvas', { class: 'plot', 'aria-hidden': 'true' });
    this.root = h('div', { class: 'board' }, canvas);
    this.renderer = new Renderer(canvas, model.n);
    this.panels = model.panels.map((_, index) => this.makePanel(index));
    new ResizeObserver(() => this.arrange()).observe(this.root);
    model.on('maps', () => this.takeMaps());
    model.on('colors', () => this.takeColors());
    model.on('layout', () => this.arrange());
    for (const change of ['look', 'theme'] as const) model.on(change, () => this.redraw());
    for (const change of ['selection', 'picked', 'hover', 'tool'] as const) model.on(change, () => this.mark());
  }

  private makePanel(index: number): Panel {
    const { model } = this;
    const name = model.panels[index].name;
    const overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
    const title = h('h2', {}, name);
    const help = model.isDeep(index) ? 'Arrow keys rotate' : 'Arrow keys move the view';
    const area = h(
      'div',
      {
        class: 'area',
        tabindex: 0,
        role: 'application',
        'aria-label': `Map ${name}. ${help}, plus and minus zoom, 0 shows all, Enter takes the point in the middle.`,
      },
      overlay,
    );
    const root = h('section', { class: 'panel', 'aria-label': name }, title, area);
    const panel: Panel = { index, root, area, overlay, title, camera: new Camera(model.isDeep(index)) };
    this.root.append(root);
    this.listen(panel);
    return panel;
  }

  // ---- arranging and drawing

  arrange(): void {
    const { model } = this;
    const count = model.visible.length;
    const box = this.root.getBoundingClientRect();
    // As many columns as make the panels closest to square.
    let columns = 1;
    let best = 0;
    for (let c = 1; c <= count; ++c) {
      const side = Math.min(box.width / c, box.height / Math.ceil(count / c) - 30);
      if (side > best * 1.02) [columns, best] = [c, side];
    }
    this.root.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.root.style.gridTemplateRows = `repeat(${Math.ceil(count / columns)}, minmax(0, 1fr))`;
    for (const panel of this.panels) panel.root.hidden = !model.visible.includes(panel.index);
    const isMorph = model.layout === 'morph' && model.panels.length > 1;
    const from = this.panels[model.panel];
    const names = [model.panels[model.panel].name, model.panels[model.other]?.name ?? ''];
    from.title.textContent = isMorph ? `${names[0]} \u2192 ${names[1]}` : names[0];
    for (const panel of this.panels) {
      const area = panel.area.getBoundingClientRect();
      panel.camera.width = Math.max(1, area.width);
      panel.camera.height = Math.max(1, area.height);
    }
    this.redraw();
  }

  private takeMaps(): void {
    this.model.places.forEach((places, k) => {
      if (places && !this.taken.has(k)) {
        this.taken.add(k);
        this.renderer.setMap(k, places);
        this.panels[k].camera.fit(places);
      }
    });
    this.redraw();
  }
  private readonly taken = new Set<number>();

  private takeColors(): void {
    this.model.colors.forEach((colors, k) => this.renderer.setColors(k, colors));
    this.redraw();
  }

  get ratio(): number {
    return Math.min(2, window.devicePixelRatio || 1);
  }
  views(): View[] {
    const { model } = this;
    const box = this.root.getBoundingClientRect();
    const isMorph = model.layout === 'morph';
    return model.visible.map((index) => {
      const { camera, area } = this.panels[index];
      const at = area.getBoundingClientRect();
      return {
        left: at.left - box.left,
        top: at.top - box.top,
        width: at.width,
        height: at.height,
        camera,
        map: index,
        other: isMorph ? model.other : index,
        morph: isMorph ? model.morph : 0,
        colors: model.colorSet(index),
      };
    });
  }

  /// Marks the view as moving: fewer points may be drawn until it rests.
  moved(): void {
    this.movedAt = performance.now();
    this.redraw();
  }
  /// Draws points and marks anew.
  redraw(): void {
    this.drawn = 0;
    this.queue();
  }
  /// Draws the marks above the points only.
  mark(): void {
    this.queue();
  }
  private queue(): void {
    if (this.isQueued) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.frame();
    });
  }

  /// One step of the picture: while the view moves, a sample that keeps the pace; at rest, the next
  /// part of the points, until all are there.
  private frame(): void {
    const { model, ratio } = this;
    const now = performance.now();
    const isMoving = now - this.movedAt < restAfter;
    if (this.wasBusy) this.keepPace(now - this.lastFrameAt);
    this.lastFrameAt = now;
    const whole = model.n * (model.selected ? 2 : 1);
    const part = Math.max(leastBudget, Math.floor(this.budget / model.visible.length));
    if (isMoving || this.drawn < whole) {
      const from = isMoving ? 0 : this.drawn;
      const to = Math.min(whole, from + part);
      if (isMoving && model.selected && to < whole) {
        // A sample of a selection has some of both rounds.
        this.draw(0, Math.floor(part / 2), ratio);
        this.draw(model.n, model.n + Math.floor(part / 2), ratio);
      } else {
        this.draw(from, to, ratio);
      }
      this.drawn = isMoving && to < whole ? 0 : to;
      this.stats.drawn = to;
      ++this.stats.frames;
    }
    const isReady = model.colors.length > 0 && this.taken.size > 0;
    if (isReady && this.stats.firstFrameAt === 0) {
      this.renderer.finish();
      this.stats.firstFrameAt = performance.now();
    }
    if (isReady && this.drawn >= whole && this.stats.completeAt === 0) {
      this.renderer.finish();
      this.stats.completeAt = performance.now();
    }
    for (const index of model.visible) this.drawOverlay(this.panels[index]);
    this.wasBusy = isMoving || this.drawn < whole;
    if (this.wasBusy) this.queue();
  }

  private keepPace(since: number): void {
    if (since > slowFrame) this.budget = Math.max(leastBudget, this.budget * Math.max(0.3, (0.9 * slowFrame) / since));
    else if (since < fastFrame) this.budget = Math.min(4 * this.model.n, this.budget * 1.25);
  }

  /// Slots `from` to `to`; all of them where they are not given.
  draw(from = 0, to = Infinity, ratio = this.ratio): void {
    const { model } = this;
    const box = this.root.getBoundingClientRect();
    this.renderer.resize(box.width, box.height, ratio);
    this.renderer.draw(
      this.views(),
      {
        size:
          model.size ??
          model.autoSize * Math.max(0.75, Math.min(1.4, this.panels[model.visible[0]].camera.width / 500)),
        opacity: model.opacity ?? model.autoOpacity,
        isSplit: model.selected !== null,
        edges: model.removedShown
          ? { count: this.edgeCount, color: model.isDark ? [1, 0.45, 0.35, 0.8] : [0.8, 0.1, 0.1, 0.7] }
          : null,
      },
      from,
      to,
      ratio,
    );
  }
  private edgeCount = 0;
  setEdges(pairs: ArrayLike<number>): void {
    this.renderer.setEdges(pairs);
    this.edgeCount = pairs.length;
    this.redraw();
  }
  setNeighbors(points: ArrayLike<number> | null): void {
    this.neighbors = points;
    this.mark();
  }

  /// Pixels of a point in a panel, from the panel's corner; with the morph that is on.
  screenOf(index: number, point: number): [number, number] | null {
    const { model } = this;
    const places = model.places[index];
    if (!places) return null;
    const other = model.layout === 'morph' ? model.places[model.other] : null;
    const share = other ? model.morph : 0;
    const at = (k: number): number => places[3 * point + k] * (1 - share) + (other ? other[3 * point + k] * share : 0);
    return this.panels[index].camera.toScreen(at(0), at(1), at(2));
  }

  // ---- the trajectory

  private placesOnTree: { edgeOf: ArrayLike<number>; fraction: ArrayLike<number> } | null = null;
  private readonly trees = new Map<number, Tree>();

  async loadTree(): Promise<void> {
    const head = this.model.store.head.trajectory;
    if (!head) return;
    const [edgeOf, fraction] = await Promise.all(
      [head.edgeOf, head.fraction].map((ref) => this.model.store.array(ref)),
    );
    this.placesOnTree = { edgeOf, fraction };
    this.mark();
  }
  private treeIn(index: number): Tree | null {
    const head = this.model.store.head.trajectory;
    const places = this.model.places[index];
    if (!head || !places || !this.placesOnTree) return null;
    const known = this.trees.get(index);
    if (known) return known;
    const made = treeOf(head, this.placesOnTree.edgeOf, this.placesOnTree.fraction, places);
    this.trees.set(index, made);
    return made;
  }
  /// Curves and milestones of the tree in a panel, in its pixels; none while one map turns into another.
  treeMarks(index: number): SVGElement[] {
    const { model } = this;
    const head = model.store.head.trajectory;
    if (!head || !model.treeShown || (model.layout === 'morph' && model.morph > 0)) return [];
    const tree = this.treeIn(index);
    if (!tree) return [];
    const { camera } = this.panels[index];
    const at = (place: number[]): [number, number] => camera.toScreen(place[0], place[1], place[2]);
    const text = (curve: number[][]): string =>
      curve
        .map((place) =>
          at(place)
            .map((x) => x.toFixed(1))
            .join(','),
        )
        .join(' ');
    const lines = ['halo', 'branch'].flatMap((kind) =>
      tree.curves.filter((c) => c.length > 0).map((c) => svg('polyline', { class: `tree ${kind}`, points: text(c) })),
    );
    const nodes = tree.nodes.flatMap((place, m) => {
      if (!place) return [];
      const [cx, cy] = at(place);
      const kind = head.ends.includes(m) ? 'end' : m === 0 ? 'root' : 'inner';
      return [
        svg('circle', { class: `milestone ${kind}`, cx, cy, r: kind === 'inner' ? 4 : 5.5 }),
        svg('text', { class: 'milestone-name', x: cx + 8, y: cy - 6 }, head.milestones[m]),
      ];
    });
    return [...lines, ...nodes];
  }

  private drawOverlay(panel: Panel): void {
    const { model } = this;
    const marks: SVGElement[] = this.treeMarks(panel.index);
    const picked = model.picked >= 0 ? this.screenOf(panel.index, model.picked) : null;
    if (picked && this.neighbors) {
      for (let k = 0; k < this.neighbors.length; ++k) {
        const at = this.screenOf(panel.index, this.neighbors[k]);
        if (!at) continue;
        marks.push(svg('line', { class: 'link', x1: picked[0], y1: picked[1], x2: at[0], y2: at[1] }));
        marks.push(svg('circle', { class: 'neighbor', cx: at[0], cy: at[1], r: 3.5 }));
      }
    }
    if (picked) marks.push(svg('circle', { class: 'picked', cx: picked[0], cy: picked[1], r: 7 }));
    const hovered =
      model.hovered >= 0 && !model.isHidden(panel.index, model.hovered)
        ? this.screenOf(panel.index, model.hovered)
        : null;
    if (hovered) marks.push(svg('circle', { class: 'hovered', cx: hovered[0], cy: hovered[1], r: 6 }));
    if (this.lasso && this.lasso.panel === panel) {
      marks.push(svg('polygon', { class: 'lasso', points: this.lasso.path.join(' ') }));
    }
    panel.overlay.replaceChildren(...marks);
    panel.area.classList.toggle('is-lasso', model.tool === 'lasso');
  }

  // ---- pointers and keys

  private lasso: { panel: Panel; path: number[] } | null = null;

  pointAt(panel: Panel, x: number, y: number): number {
    const { model } = this;
    const places = model.places[panel.index];
    if (!places || (model.layout === 'morph' && model.morph > 0)) return -1;
    const counts = (i: number): boolean => !model.isHidden(panel.index, i);
    const grid = model.grid(panel.index);
    if (!grid) return nearestOnScreen(places, panel.camera, x, y, 12, counts);
    const [px, py] = panel.camera.toPlane(x, y);
    return grid.nearest(px, py, 12 / panel.camera.scale, counts);
  }

  private listen(panel: Panel): void {
    const { area, camera } = panel;
    const place = (e: MouseEvent): [number, number] => {
      const box = area.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    let from: [number, number] | null = null;
    let travelled = 0;
    area.addEventListener('pointerdown', (e) => {
      if (e.button > 1) return;
      area.setPointerCapture(e.pointerId);
      from = place(e);
      travelled = 0;
      const isLasso = this.model.tool === 'lasso' || (e.shiftKey && !camera.isDeep);
      this.lasso = isLasso ? { panel, path: [...from] } : null;
    });
    area.addEventListener('pointermove', (e) => {
      const [x, y] = place(e);
      if (!from) {
        const point = this.pointAt(panel, x, y);
        this.onHover(point, e.clientX, e.clientY);
        return;
      }
      const [dx, dy] = [x - from[0], y - from[1]];
      travelled += Math.abs(dx) + Math.abs(dy);
      from = [x, y];
      if (this.lasso) {
        this.lasso.path.push(x, y);
        this.mark();
        return;
      }
      if (travelled < 4) return;
      this.onHover(-1, 0, 0);
      if (camera.isDeep && !e.shiftKey) camera.rotate(dx / 150, dy / 150);
      else camera.pan(dx, dy);
      this.moved();
    });
    area.addEventListener('pointerup', (e) => {
      const [x, y] = place(e);
      if (this.lasso && this.lasso.path.length >= 8)
        this.finishLasso(e.altKey ? 'remove' : e.ctrlKey || e.metaKey ? 'add' : 'set');
      else if (from && travelled < 4) this.model.pick(this.pointAt(panel, x, y));
      from = null;
      this.lasso = null;
      this.mark();
    });
    area.addEventListener('pointercancel', () => {
      from = null;
      this.lasso = null;
    });
    area.addEventListener('pointerleave', () => this.onHover(-1, 0, 0));
    area.addEventListener(
      'wheel',
      (e) => {
        e.preventDefault();
        const [x, y] = place(e);
        camera.zoomAt(x, y, Math.exp(-e.deltaY * (e.deltaMode === 1 ? 0.05 : 0.0016)));
        this.moved();
      },
      { passive: false },
    );
    area.addEventListener('dblclick', () => {
      camera.reset();
      this.moved();
    });
    area.addEventListener('keydown', (e) => this.onKey(panel, e));
  }

  private finishLasso(how: 'set' | 'add' | 'remove'): void {
    const { model } = this;
    if (!this.lasso) return;
    const { panel, path } = this.lasso;
    const places = model.places[panel.index];
    if (!places) return;
    model.select(
      insideLasso(places, panel.camera, path, (i) => !model.isHidden(panel.index, i)),
      how,
    );
  }

  private onKey(panel: Panel, e: KeyboardEvent): void {
    const { camera } = panel;
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const arrow = arrows[e.key];
    const [mx, my] = [camera.width / 2, camera.height / 2];
    if (arrow) {
      if (camera.isDeep) camera.rotate(arrow[0] * 0.1, arrow[1] * 0.1);
      else camera.pan(-arrow[0] * 40, -arrow[1] * 40);
    } else if (e.key === '+' || e.key === '=') camera.zoomAt(mx, my, 1.25);
    else if (e.key === '-') camera.zoomAt(mx, my, 0.8);
    else if (e.key === '0') camera.reset();
    else if (e.key === 'Enter') this.model.pick(this.nearestToMiddle(panel));
    else if (e.key === 'Escape') {
      this.model.pick(-1);
      this.model.select([], 'set');
    } else return;
    e.preventDefault();
    this.moved();
  }

  private nearestToMiddle(panel: Panel): number {
    const places = this.model.places[panel.index];
    if (!places) return -1;
    const { camera } = panel;
    return nearestOnScreen(
      places,
      camera,
      camera.width / 2,
      camera.height / 2,
      Infinity,
      (i) => !this.model.isHidden(panel.index, i),
    );
  }

  /// Brings a point into the middle of every flat panel in sight.
  show(point: number): void {
    for (const index of this.model.visible) {
      const places = this.model.places[index];
      const { camera } = this.panels[index];
      if (!places || camera.isDeep) continue;
      camera.x = places[3 * point];
      camera.y = places[3 * point + 1];
      camera.zoom = Math.max(camera.zoom, 2);
    }
    this.moved();
  }
}
