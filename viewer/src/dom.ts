// Small helpers for the document. Text from the data only ever enters as text nodes and attribute
// values: nothing here parses markup.

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = h('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/// Four significant digits, without noise: "0.25", "1,234", "3.2e-7".
export function shortNumber(x: number): string {
  if (Number.isNaN(x)) return 'missing';
  if (x === 0 || !Number.isFinite(x)) return String(x).replace('-', '\u2212');
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e7) return x.toExponential(1).replace('e+', 'e').replace(/-/g, '\u2212');
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return x.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 4) }).replace('-', '\u2212');
}

export function clipped(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most - 1) + '\u2026';
}
