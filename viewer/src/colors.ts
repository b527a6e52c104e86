// Colours: groups and numbers in, bytes out. Palettes are those that colour-blind readers can tell
// apart; groups have the same colours as in the library's pictures.
import { interpolateCividis, interpolateInferno, interpolateViridis } from 'd3-scale-chromatic';

export type Rgb = readonly [number, number, number];

const groups = [
  '#0072b2',
  '#e69f00',
  '#009e73',
  '#d55e00',
  '#cc79a7',
  '#56b4e9',
  '#5e4fa2',
  '#a6761d',
  '#882255',
  '#999933',
  '#7a7a7a',
  '#d8c600',
  '#44aa99',
  '#b2182b',
  '#9fb8e8',
  '#117733',
  '#e7a6c5',
  '#6b4c3b',
  '#c5c35e',
  '#6655cc',
];

export function parseColor(text: string): Rgb {
  if (text.startsWith('#')) {
    const value = parseInt(text.slice(1), 16);
    return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
  }
  const found = text.match(/\d+/g) ?? ['0', '0', '0'];
  return [Number(found[0]), Number(found[1]), Number(found[2])];
}

export function cssColor(rgb: Rgb): string {
  return (
    '#' +
    rgb
      .map((x) =>
        Math.round(Math.max(0, Math.min(255, x)))
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')
  );
}

function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return [0, 1, 2].map((k) => Math.round(a[k] + (b[k] - a[k]) * share)) as unknown as Rgb;
}

/// Twenty distinct ones; further groups get them again, lighter, then darker.
export function groupColor(group: number, isDark: boolean): Rgb {
  const color = parseColor(groups[group % groups.length]);
  const round = Math.floor(group / groups.length) % 3;
  const shade = round === 0 ? color : round === 1 ? mixed(color, [255, 255, 255], 0.45) : mixed(color, [0, 0, 0], 0.4);
  return isDark ? mixed(shade, [255, 255, 255], 0.18) : shade; // dark tones sink into a dark page
}

export type Scale = 'viridis' | 'cividis' | 'inferno';
const interpolators: Record<Scale, (t: number) => string> = {
  viridis: interpolateViridis,
  cividis: interpolateCividis,
  inferno: interpolateInferno,
};
const ramps = new Map<string, Uint8Array>();

/// 256 colours as bytes. In the dark, the low end is lifted off the background.
export function ramp(scale: Scale, isReversed: boolean, isDark = false): Uint8Array {
  const key = scale + String(isReversed) + String(isDark);
  let found = ramps.get(key);
  if (!found) {
    found = new Uint8Array(256 * 3);
    for (let k = 0; k < 256; ++k) {
      const share = isReversed ? 1 - k / 255 : k / 255;
      const low = !isDark ? 0 : scale === 'inferno' ? 0.2 : 0.12;
      const high = isDark ? 1 : scale === 'inferno' ? 0.83 : 0.96; // light yellow is lost on white
      found.set(parseColor(interpolators[scale](low + share * (high - low))), 3 * k);
    }
    ramps.set(key, found);
  }
  return found;
}

export function missingColor(isDark: boolean): Rgb {
  return isDark ? [70, 76, 84] : [205, 207, 210];
}

const firstHue: Rgb = [230, 97, 0];
const secondHue: Rgb = [0, 114, 200];

/// Two amounts in [0, 1] at a time: inks on paper, lights in the dark; neither is the background's
/// own faint tone, both together are near black, or near white.
export function blend(first: number, second: number, isDark: boolean): Rgb {
  if (isDark) {
    return [0, 1, 2].map((k) =>
      Math.min(255, 58 + first * (firstHue[k] - 30) + second * (secondHue[k] - 10)),
    ) as unknown as Rgb;
  }
  return [0, 1, 2].map((k) => {
    const ink = (amount: number, hue: number): number => 1 - amount * (1 - hue / 255);
    return 222 * ink(first, firstHue[k]) * ink(second, secondHue[k]);
  }) as unknown as Rgb;
}
