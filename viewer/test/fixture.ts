// Pages to test with, made by the program itself; a browser to open them in; and pictures as numbers.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../chromium.mjs';

export const nasty = '</script><img src=x onerror="window.hacked=1"><!-- \u2028 & \'"';
export const longName = 'long '.repeat(10000).trim();
export const n = 600;

export function program(): string {
  const path = process.env['GEOTHERM_PROGRAM'];
  if (!path) throw new Error('GEOTHERM_PROGRAM does not say where the program is');
  return path;
}

/// Numbers of an array in an .npz that was written without compression.
export function arrayIn(npz: Buffer, name: string): Float64Array {
  const at = npz.indexOf(name) - 30;
  const start = at + 30 + npz.readUInt16LE(at + 26) + npz.readUInt16LE(at + 28);
  return numbersOf(npz.subarray(start, start + npz.readUInt32LE(at + 18)));
}
/// Numbers of an .npy.
export function numbersOf(npy: Buffer): Float64Array {
  const from = npy.byteOffset + 10 + npy.readUInt16LE(8);
  return new Float64Array(npy.buffer.slice(from, npy.byteOffset + npy.length));
}

export class Fixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'geotherm-page-'));
  browser!: Browser;
  readonly problems: string[] = [];
  private scratch!: Page;

  static async make(): Promise<Fixture> {
    const fixture = new Fixture();
    fixture.browser = await launch();
    fixture.scratch = await fixture.browser.newPage();
    return fixture;
  }
  async end(): Promise<void> {
    await this.browser.close();
    rmSync(this.folder, { recursive: true });
  }

  geotherm(...args: string[]): string {
    return execFileSync(program(), [...args, '--quiet', '--seed', '1'], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /// A noisy roll, with names that would be markup, groups, numbers and genes.
  writeData(): void {
    this.geotherm('synth', 'swiss-roll', '--n', String(n), '--noise', '1', '-o', 'roll.npz');
    const roll = readFileSync(join(this.folder, 'roll.npz'));
    const [places, times] = [arrayIn(roll, 'X.npy'), arrayIn(roll, 't.npy')];
    const points = ['id,x,y,z,geneA,geneB'];
    const cells = ['name,kind,score,uncertainty'];
    for (let i = 0; i < n; ++i) {
      const t = times[i];
      const place = [...places.slice(3 * i, 3 * i + 3)];
      const name = i === 0 ? nasty : i === 1 ? longName : `cell-${String(i).padStart(3, '0')}`;
      const cell = `"${name.replaceAll('"', '""')}"`;
      points.push(
        [
          cell,
          ...place.map((x) => x.toFixed(5)),
          t > 11 ? (t - 11).toFixed(3) : '0',
          t < 8 ? (8 - t).toFixed(3) : '0',
        ].join(','),
      );
      cells.push(
        [
          cell,
          ['early', 'middle', '<b>late</b>'][Math.min(2, Math.floor((t - 4.7) / 3.2))],
          t.toFixed(3),
          ((i * 7) % 11) / 11,
        ].join(','),
      );
    }
    writeFileSync(join(this.folder, 'points.csv'), points.join('\n'));
    writeFileSync(join(this.folder, 'cells.csv'), cells.join('\n'));
  }

  async open(file: string, options: { isDark?: boolean } = {}): Promise<Page> {
    const page = await this.browser.newPage({
      viewport: { width: 1280, height: 800 },
      colorScheme: options.isDark ? 'dark' : 'light',
      acceptDownloads: true,
    });
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) this.problems.push(`a request to ${request.url()}`);
    });
    await page.goto('file://' + join(this.folder, file));
    await page.waitForFunction(
      () =>
        (window as unknown as Shown).geotherm?.board.stats.firstFrameAt > 0 &&
        (window as unknown as Shown).geotherm.model.places.every((p) => p !== null),
    );
    await settle(page);
    return page;
  }

  /// The panel as it is on the screen.
  async picture(page: Page, panel = 0): Promise<Picture> {
    await settle(page);
    const png = await page.locator('.area').nth(panel).screenshot();
    return this.decoded(png);
  }
  async decoded(png: Buffer): Promise<Picture> {
    const { width, height, text } = await this.scratch.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d')!;
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      let out = '';
      for (let i = 0; i < data.length; i += 4) out += String.fromCharCode(data[i], data[i + 1], data[i + 2]);
      return { width: bitmap.width, height: bitmap.height, text: btoa(out) };
    }, png.toString('base64'));
    return new Picture(width, height, Buffer.from(text, 'base64'));
  }
}

/// What the page leaves for scripts.
export interface Shown {
  hacked?: number;
  geotherm: {
    model: {
      places: (Float32Array | null)[];
      selected: Uint8Array | null;
      selectedCount: number;
      channel: { label: string } | null;
      filter: { low: number; high: number } | null;
      picked: number;
      timeIndex: number;
      n: number;
      colors: Uint32Array[];
      shown: { values: Float32Array | null; title: string } | null;
      colorSet(panel: number): number;
      pick(point: number): void;
      heat: { times: number[]; readyCount: number; jump: number; graph: { places: number } } | null;
    };
    board: {
      stats: { firstFrameAt: number; completeAt: number; frames: number; drawn: number };
      panels: { camera: { zoom: number; x: number; y: number; rotation: number[] }; area: HTMLElement }[];
      screenOf(panel: number, point: number): [number, number] | null;
    };
  };
}

/// Two frames after the last change: what was asked for is on the screen, or on its way to be painted.
export async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(220); // a moving view rests after 160 ms, and is drawn in full then
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

export class Picture {
  readonly width: number;
  readonly height: number;
  private readonly rgb: Uint8Array;
  constructor(width: number, height: number, rgb: Uint8Array) {
    this.width = width;
    this.height = height;
    this.rgb = rgb;
  }
  pixel(k: number): [number, number, number] {
    return [this.rgb[3 * k], this.rgb[3 * k + 1], this.rgb[3 * k + 2]];
  }
  /// Share of the pixels for which `is` holds.
  share(is: (r: number, g: number, b: number) => boolean): number {
    let count = 0;
    for (let k = 0; k < this.width * this.height; ++k) if (is(...this.pixel(k))) ++count;
    return count / (this.width * this.height);
  }
  /// Share of the pixels that are not like the upper left corner, the background.
  ink(): number {
    const [r, g, b] = this.pixel(0);
    return this.share((x, y, z) => Math.abs(x - r) + Math.abs(y - g) + Math.abs(z - b) > 30);
  }
  /// Share of the pixels that differ clearly.
  difference(other: Picture): number {
    if (other.width !== this.width || other.height !== this.height) return 1;
    let count = 0;
    for (let k = 0; k < this.width * this.height; ++k) {
      const [a, b] = [this.pixel(k), other.pixel(k)];
      if (Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) > 48) ++count;
    }
    return count / (this.width * this.height);
  }
  /// Mean red, green and blue of a coarse grid: a picture that fits into a text file and does not
  /// mind another browser's way to smooth an edge.
  coarse(columns = 12, rows = 8): number[] {
    const sums = new Float64Array(columns * rows * 4);
    for (let y = 0; y < this.height; ++y) {
      for (let x = 0; x < this.width; ++x) {
        const cell = 4 * (Math.floor((y * rows) / this.height) * columns + Math.floor((x * columns) / this.width));
        const rgb = this.pixel(y * this.width + x);
        for (let c = 0; c < 3; ++c) sums[cell + c] += rgb[c];
        ++sums[cell + 3];
      }
    }
    return [...Array(columns * rows * 3).keys()].map((k) =>
      Math.round(sums[4 * Math.floor(k / 3) + (k % 3)] / sums[4 * Math.floor(k / 3) + 3]),
    );
  }
}
