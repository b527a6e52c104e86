// The row of a point in words: its name and the value of every column.
import type { Model } from './model.ts';
import { shortNumber } from './dom.ts';

const mostColumns = 40;

export class Rows {
  private readonly model: Model;
  constructor(model: Model) {
    this.model = model;
  }

  /// Its name, else the number of its row in the data (from 0).
  async name(point: number): Promise<string> {
    const { store } = this.model;
    const names = await store.names();
    if (names) return names[point] || `row ${point}`;
    if (store.head.rows) return `row ${(await store.array(store.head.rows))[point]}`;
    return `row ${point}`;
  }

  async cells(point: number, most = mostColumns): Promise<[string, string][]> {
    const { store } = this.model;
    const cells = store.head.columns.slice(0, most).map(async (column): Promise<[string, string]> => {
      const name = column.panel === undefined ? column.name : `${column.name}, ${store.head.panels[column.panel].name}`;
      if (column.kind === 'category') return [name, column.labels[(await store.array(column.codes))[point]]];
      return [name, shortNumber((await store.numbers(column))[point])];
    });
    return Promise.all(cells);
  }

  /// All names in lower case, to search in; made once.
  private lowered: Promise<string[]> | null = null;
  async search(text: string): Promise<number[]> {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return [];
    const names = this.model.store.names();
    if (!names) {
      const number = Number(wanted.replace(/^row\s*/, ''));
      return Number.isInteger(number) && number >= 0 && number < this.model.n ? [number] : [];
    }
    this.lowered ??= names.then((all) => all.map((name) => name.toLowerCase()));
    const found: number[] = [];
    (await this.lowered).forEach((name, i) => {
      if (name.includes(wanted)) found.push(i);
    });
    return found;
  }
}
