// The selection as a table: the name of each row, its places in the maps, how far it is from the
// point that was clicked, and every column, as RFC 4180 has it.
import type { Model } from './model.ts';
import type { Rows } from './rows.ts';

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface NumberColumn {
  name: string;
  at: (i: number) => number;
}

function shortest(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(7)));
}

/// Coordinates in the map's own units, as the file of the map has them to 1 / 65535 of its extent.
async function placeColumns(model: Model): Promise<NumberColumn[]> {
  const columns: NumberColumn[] = [];
  for (const panel of model.panels) {
    const coords = await model.store.array(panel.coords);
    for (let k = 0; k < panel.dims; ++k) {
      columns.push({
        name: `${panel.name} ${k + 1}`,
        at: (i) => panel.low[k] + (coords[k * model.n + i] / 65535) * panel.extent,
      });
    }
  }
  return columns;
}

/// Heat-geodesic distance from the clicked point, where its heat is known.
async function distanceColumn(model: Model, rows: Rows): Promise<NumberColumn[]> {
  const { heat, picked } = model;
  if (!heat || picked < 0 || model.spread === 'off') return [];
  const snapshot = await heat.snapshot(model.timeIndex);
  if (!snapshot) return [];
  const distances = await heat.distances(snapshot);
  return [{ name: `distance from ${await rows.name(picked)}`, at: (i) => distances[heat.placeOf(i)] }];
}

/// All points where none is selected.
export async function selectionCsv(model: Model, rows: Rows): Promise<string> {
  const { store, selected } = model;
  const { columns, panels } = store.head;
  const more = [...(await placeColumns(model)), ...(await distanceColumn(model, rows))];
  const header = [
    'row',
    'name',
    ...more.map((c) => c.name),
    ...columns.map((c) => (c.panel === undefined ? c.name : `${c.name}, ${panels[c.panel].name}`)),
  ];
  const lists = await Promise.all(
    columns.map(async (column): Promise<(i: number) => string> => {
      if (column.kind === 'category') {
        const codes = await store.array(column.codes);
        return (i) => column.labels[codes[i]];
      }
      const values = await store.numbers(column);
      return (i) => shortest(values[i]);
    }),
  );
  const rowOf = store.head.rows ? await store.array(store.head.rows) : null;
  const lines = [header.map(csvCell).join(',')];
  for (let i = 0; i < model.n; ++i) {
    if (selected && selected[i] === 0) continue;
    lines.push(
      [
        String(rowOf ? rowOf[i] : i),
        await rows.name(i),
        ...more.map((c) => shortest(c.at(i))),
        ...lists.map((list) => list(i)),
      ]
        .map(csvCell)
        .join(','),
    );
  }
  return lines.join('\r\n') + '\r\n';
}
