// The page's data: in, the JSON head and the base64 blocks that the writer left in the document;
// out, typed arrays, each decoded when it is first asked for.

export type BlockType = 'u8' | 'u16' | 'u32' | 'f32' | 'text';
export interface BlockRef {
  block: number;
  type: BlockType;
  length: number;
}
export interface PanelHead {
  name: string;
  dims: 1 | 2 | 3;
  low: number[];
  extent: number;
  coords: BlockRef;
}
interface ColumnBase {
  name: string;
  role: 'column' | 'feature' | 'trust';
  panel?: number;
}
export type ColumnHead = ColumnBase &
  (
    | { kind: 'category'; labels: string[]; codes: BlockRef }
    | { kind: 'number'; values: BlockRef }
    | { kind: 'sparse'; rows: BlockRef; values: BlockRef }
  );
export interface GraphHead {
  places: number;
  laplacian: 'combinatorial' | 'normalized' | 'random-walk';
  time: number;
  lengthScale: number;
  counts: BlockRef;
  targets: BlockRef;
  weights: BlockRef;
  removed: BlockRef;
  diagonalTimes: number[];
  logDiagonal: BlockRef;
  placeOf?: BlockRef;
  landmarks?: boolean; // of many points: each has the heat of its landmark
}
/// Lists of k true neighbours: of every point, or of those in `rows`, ascending.
export interface NeighborsHead {
  k: number;
  indices: BlockRef;
  distances: BlockRef;
  rows?: BlockRef;
}
export interface EntropyHead {
  times: number[];
  values: number[];
  chosen: number;
  how: string;
}
/// Milestones by number; `edgeOf` counts edges from 1 (0: a point of none), `fraction` is in 255ths.
export interface TrajectoryHead {
  pseudotime: string;
  columns: string[];
  milestones: string[];
  edges: [number, number][];
  ends: number[];
  edgeOf: BlockRef;
  fraction: BlockRef;
}
export interface Head {
  format: number;
  generator: string;
  title: string;
  n: number;
  total: number;
  color: string;
  panels: PanelHead[];
  columns: ColumnHead[];
  names?: BlockRef;
  rows?: BlockRef;
  graph?: GraphHead;
  neighbors?: NeighborsHead;
  entropy?: EntropyHead;
  trajectory?: TrajectoryHead;
  manifest?: unknown;
  links: { title: string; file: string }[];
}

export type NumberArray = Uint8Array | Uint16Array | Uint32Array | Float32Array;

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

export function arrayOf(buffer: ArrayBuffer, type: BlockType): NumberArray {
  switch (type) {
    case 'u8':
      return new Uint8Array(buffer);
    case 'u16':
      return new Uint16Array(buffer);
    case 'u32':
      return new Uint32Array(buffer);
    case 'f32':
      return new Float32Array(buffer);
    case 'text':
      throw new Error('a block of text is not an array of numbers');
  }
}

/// Where blocks come from: the document, or a table in tests.
export type BlockSource = (block: number) => string;

export class PageStore {
  readonly head: Head;
  private readonly source: BlockSource;
  private readonly arrays = new Map<number, Promise<NumberArray>>();
  private nameList: Promise<string[]> | null = null;

  constructor(head: Head, source: BlockSource) {
    if (head.format !== 1) throw new Error(`this page cannot read data of format ${head.format}`);
    this.head = head;
    this.source = source;
  }

  static ofDocument(document: Document): PageStore {
    const text = document.getElementById('head')?.textContent ?? '';
    return new PageStore(JSON.parse(text) as Head, (block) => {
      const element = document.getElementById(`block-${block}`);
      const content = element?.textContent ?? '';
      element?.remove(); // decoded once: the text need not stay in memory
      return content;
    });
  }

  array(ref: BlockRef): Promise<NumberArray> {
    let found = this.arrays.get(ref.block);
    if (!found) {
      found = inflate(bytesOfBase64(this.source(ref.block))).then((b) => arrayOf(b, ref.type));
      this.arrays.set(ref.block, found);
    }
    return found;
  }

  /// Names of all points, or null where they have none but their numbers.
  names(): Promise<string[]> | null {
    const ref = this.head.names;
    if (!ref) return null;
    this.nameList ??= inflate(bytesOfBase64(this.source(ref.block))).then((buffer) =>
      new TextDecoder().decode(buffer).split('\n'),
    );
    return this.nameList;
  }

  /// Numbers of a column, one per point; a sparse one is filled up with zeros.
  async numbers(column: ColumnHead): Promise<Float32Array> {
    if (column.kind === 'category') throw new Error(`${column.name} holds groups, not numbers`);
    const values = (await this.array(column.values)) as Float32Array;
    if (column.kind === 'number') return values;
    const rows = await this.array(column.rows);
    const full = new Float32Array(this.head.n);
    for (let k = 0; k < rows.length; ++k) full[rows[k]] = values[k];
    return full;
  }
}

/// Coordinates as the page draws them: x, y, z of each point, the middle of the map at the origin
/// and its longest side from -1 to 1.
export function placesOf(panel: PanelHead, coords: NumberArray, n: number): Float32Array {
  const places = new Float32Array(3 * n);
  for (let k = 0; k < panel.dims; ++k) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < n; ++i) {
      const x = coords[k * n + i];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    const middle = (low + high) / 2;
    for (let i = 0; i < n; ++i) places[3 * i + k] = (coords[k * n + i] - middle) / 32767.5;
  }
  return places;
}
