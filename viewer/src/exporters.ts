// Pictures of what is in sight: PNG from the canvas, SVG with a circle per point (or, for very many
// points, the drawn picture inside); both with titles and legend.
import type { Board } from './board.ts';
import { cssColor, groupColor, ramp } from './colors.ts';
import { clipped, shortNumber, svg } from './dom.ts';
import type { Model } from './model.ts';

const legendWidth = 190;
const mostCircles = 30000;

interface Inks {
  paper: string;
  ink: string;
}
function inks(model: Model): Inks {
  return model.isDark ? { paper: '#12161b', ink: '#e8eaed' } : { paper: '#ffffff', ink: '#20242a' };
}

/// The legend as SVG elements, from (0, 0).
function legendParts(model: Model, { ink }: Inks): SVGElement[] {
  const { shown } = model;
  if (!shown) return [];
  const text = (x: number, y: number, content: string, more: Record<string, string | number> = {}): SVGElement =>
    svg('text', { x, y, fill: ink, 'font-size': 12, 'font-family': 'system-ui, sans-serif', ...more }, content);
  const parts = [
    text(0, 12, clipped(shown.kind === 'two' ? `${shown.title} + ${shown.second}` : shown.title, 28), {
      'font-weight': 600,
    }),
  ];
  if (shown.kind === 'category') {
    shown.labels.slice(0, 40).forEach((label, k) => {
      if (model.hidden.has(k)) return;
      const y = 24 + (parts.length - 1) * 9;
      parts.push(
        svg('circle', { cx: 6, cy: y, r: 5, fill: cssColor(groupColor(k, model.isDark)) }),
        text(18, y + 4, clipped(label, 24)),
      );
    });
  } else if (shown.kind === 'number') {
    const colors = ramp(shown.scale, shown.isReversed, model.isDark);
    for (let k = 0; k < 64; ++k) {
      const c = 12 * k;
      parts.push(
        svg('rect', {
          x: k * 2.5,
          y: 22,
          width: 2.6,
          height: 12,
          fill: cssColor([colors[c], colors[c + 1], colors[c + 2]]),
        }),
      );
    }
    parts.push(
      text(0, 50, shortNumber(shown.shown.low)),
      text(160, 50, shortNumber(shown.shown.high), { 'text-anchor': 'end' }),
    );
  }
  return parts;
}

/// Everything but the points.
function frame(model: Model, board: Board): { root: SVGSVGElement; width: number; height: number; under: SVGElement } {
  const colors = inks(model);
  const box = board.root.getBoundingClientRect();
  const [width, height] = [Math.round(box.width + legendWidth), Math.round(box.height)];
  const root = svg('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
  });
  const under = svg('g');
  root.append(svg('rect', { width, height, fill: colors.paper }), under);
  for (const view of board.views()) {
    root.append(
      svg(
        'text',
        {
          x: view.left + 10,
          y: view.top - 10,
          fill: colors.ink,
          'font-size': 14,
          'font-weight': 600,
          'font-family': 'system-ui, sans-serif',
        },
        board.panels[view.map].title.textContent ?? '',
      ),
    );
  }
  root.append(svg('g', { transform: `translate(${Math.round(box.width) + 14}, 24)` }, ...legendParts(model, colors)));
  return { root, width, height, under };
}

/// The tree of a trajectory above the points, its looks written out: pictures have no style sheet.
function treeGroup(model: Model, board: Board): SVGElement {
  const { paper, ink } = inks(model);
  const looks: Record<string, Record<string, string | number>> = {
    halo: { fill: 'none', stroke: paper, 'stroke-width': 5, opacity: 0.8 },
    branch: { fill: 'none', stroke: ink, 'stroke-width': 2 },
    end: { fill: ink, stroke: ink },
    root: { fill: paper, stroke: ink, 'stroke-width': 3 },
    inner: { fill: paper, stroke: ink, 'stroke-width': 1.5 },
    'milestone-name': { fill: ink, 'font-size': 12, 'font-family': 'system-ui, sans-serif' },
  };
  const group = svg('g');
  for (const view of board.views()) {
    const inside = svg('g', { transform: `translate(${view.left}, ${view.top})` });
    for (const mark of board.treeMarks(view.map)) {
      for (const word of (mark.getAttribute('class') ?? '').split(' '))
        for (const [name, value] of Object.entries(looks[word] ?? {})) mark.setAttribute(name, String(value));
      inside.append(mark);
    }
    group.append(inside);
  }
  return group;
}

function textOf(root: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(root);
}

export function svgPicture(model: Model, board: Board): string {
  const { root, under } = frame(model, board);
  const views = board.views();
  if (model.n * views.length > mostCircles) {
    board.draw();
    const { width, height } = board.root.getBoundingClientRect();
    under.append(svg('image', { href: board.renderer.canvas.toDataURL('image/png'), width, height }));
    under.append(treeGroup(model, board));
    return textOf(root);
  }
  const radius = ((model.size ?? model.autoSize) / 2).toFixed(2);
  const opacity = model.opacity ?? model.autoOpacity;
  for (const view of views) {
    const clip = `clip-${view.map}`;
    under.append(
      svg('clipPath', { id: clip }, svg('rect', { x: view.left, y: view.top, width: view.width, height: view.height })),
    );
    const group = svg('g', { 'clip-path': `url(#${clip})`, 'fill-opacity': opacity.toFixed(2) });
    const colors = model.colors[view.colors];
    for (let i = 0; i < model.n; ++i) {
      const alpha = colors[i] >>> 24;
      if (alpha === 0) continue;
      const at = board.screenOf(view.map, i);
      if (!at) continue;
      const fill = cssColor([colors[i] & 255, (colors[i] >> 8) & 255, (colors[i] >> 16) & 255]);
      const circle = svg('circle', {
        cx: (view.left + at[0]).toFixed(1),
        cy: (view.top + at[1]).toFixed(1),
        r: radius,
        fill,
      });
      if (alpha < 128) circle.setAttribute('opacity', (alpha / 128).toFixed(2));
      group.append(circle);
    }
    under.append(group);
  }
  under.append(treeGroup(model, board));
  return textOf(root);
}

/// At twice the size on the screen.
export async function pngPicture(model: Model, board: Board): Promise<Blob> {
  const ratio = 2;
  const { root, width, height } = frame(model, board);
  const canvas = document.createElement('canvas');
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser cannot draw pictures');
  const paint = async (picture: SVGSVGElement): Promise<void> => {
    const image = new Image();
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(textOf(picture));
    await image.decode();
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
  };
  await paint(root);
  board.draw(0, Infinity, ratio);
  context.drawImage(board.renderer.canvas, 0, 0);
  const viewBox = `0 0 ${width} ${height}`;
  await paint(svg('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox }, treeGroup(model, board)));
  board.redraw();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))), 'image/png');
  });
}
