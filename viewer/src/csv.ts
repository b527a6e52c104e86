// The selection as a table: the name of each row and every column, as RFC 4180 has it.
import type { Model } from './model.ts';
import type { Rows } from './rows.ts';

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/// All points where none is selected.
export async function selectionCsv(model: Model, rows: Rows): Promise<string> {
  const { store, selected } = model;
  const { columns, panels } = store.head;
  const header = [
    'row',
    'name',
    ...columns.map((c) => (c.panel === undefined ? c.name : `${c.name}, ${panels[c.panel].name}`)),
  ];
  const lists = await Promise.all(
    columns.map(async (column): Promise<(i: number) => string> => {
      if (column.kind === 'category') {
        const codes = await store.array(column.codes);
        return (i) => column.labels[codes[i]];
      }
      const values = await store.numbers(column);
      return (i) => (Number.isNaN(values[i]) ? '' : String(Number(values[i].toPrecision(7))));
    }),
  );
  const rowOf = store.head.rows ? await store.array(store.head.rows) : null;
  const lines = [header.map(csvCell).join(',')];
  for (let i = 0; i < model.n; ++i) {
    if (selected && selected[i] === 0) continue;
    lines.push(
      [String(rowOf ? rowOf[i] : i), await rows.name(i), ...lists.map((list) => list(i))].map(csvCell).join(','),
    );
  }
  return lines.join('\r\n') + '\r\n';
}
