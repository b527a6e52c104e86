// Draws every panel on one canvas by WebGL 2. Points lie in the buffers in a random order, so that
// any first part of them is a fair sample: while the view moves, as many are drawn as the machine
// manages in time, and all of them when it rests.
import type { Camera } from './camera.ts';

const pointShader = `#version 300 es
in vec3 place;
in vec3 other;
in vec4 color;
uniform float morph;
uniform mat3 rotation;
uniform vec2 middle;
uniform vec2 scale;
uniform float size;
uniform float opacity;
uniform float depth;
uniform int pass;
out vec4 shade;
void main() {
  vec3 p = rotation * mix(place, other, morph);
  gl_Position = vec4((p.xy - middle) * scale, -0.3 * depth * p.z, 1.0);
  gl_PointSize = size * (1.0 + 0.3 * depth * p.z);
  // Bytes of alpha: 0 hidden, below 128 behind the others and faint, else in front.
  bool isFaint = color.a < 0.5;
  if (color.a == 0.0 || (pass == 0 && !isFaint) || (pass == 1 && isFaint)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  float alpha = opacity * (isFaint ? color.a * 2.0 : 1.0) * (1.0 - 0.35 * depth * clamp(-p.z, 0.0, 1.0));
  shade = vec4(color.rgb * alpha, alpha);
}`;
const roundShader = `#version 300 es
precision highp float;
in vec4 shade;
uniform float size;
out vec4 result;
void main() {
  float edge = 1.0;
  if (size > 2.5) {
    float d = length(gl_PointCoord - 0.5) * size;
    edge = clamp(size * 0.5 - d + 0.25, 0.0, 1.0);
    if (edge <= 0.0) discard;
  }
  result = shade * edge;
}`;
const lineFragment = `#version 300 es
precision highp float;
uniform vec4 tint;
out vec4 result;
void main() { result = vec4(tint.rgb * tint.a, tint.a); }`;

/// One panel's part of the canvas, in CSS pixels from its upper left corner.
export interface View {
  left: number;
  top: number;
  width: number;
  height: number;
  camera: Camera;
  map: number;
  other: number; // the map that it turns into; the same where it does not
  morph: number;
  colors: number;
}
export interface Look {
  size: number; // of a point, in CSS pixels
  opacity: number;
  isSplit: boolean; // some points are faint: they are drawn first
  edges: { count: number; color: readonly [number, number, number, number] } | null;
}

export function randomOrder(n: number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; ++i) order[i] = i;
  let state = 0x9e3779b9;
  for (let i = n - 1; i > 0; --i) {
    // Mulberry32: the same order in every session.
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    const j = Math.floor(((t ^ (t >>> 14)) >>> 0) * (i + 1) * 2 ** -32);
    const keep = order[i];
    order[i] = order[j];
    order[j] = keep;
  }
  return order;
}

export class Renderer {
  readonly canvas: HTMLCanvasElement;
  readonly order: Uint32Array; // point in each slot of the buffers
  private readonly gl: WebGL2RenderingContext;
  private readonly points: WebGLProgram;
  private readonly lines: WebGLProgram;
  private readonly maps: WebGLBuffer[] = [];
  private readonly colorSets: WebGLBuffer[] = [];
  private readonly edgeBuffer: WebGLBuffer;
  private readonly n: number;
  private readonly locations = new Map<string, WebGLUniformLocation | null>();

  constructor(canvas: HTMLCanvasElement, n: number) {
    const gl = canvas.getContext('webgl2', {
      antialias: false,
      alpha: true,
      premultipliedAlpha: true,
      preserveDrawingBuffer: true, // a picture of many points grows over several frames
    });
    if (!gl) throw new Error('this browser offers no WebGL 2, which draws the points');
    this.canvas = canvas;
    this.gl = gl;
    this.n = n;
    this.order = randomOrder(n);
    this.points = this.program(pointShader, roundShader);
    this.lines = this.program(pointShader, lineFragment);
    this.edgeBuffer = gl.createBuffer();
    gl.bindVertexArray(gl.createVertexArray());
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.SCISSOR_TEST);
  }

  private program(vertex: string, fragment: string): WebGLProgram {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error('the graphics context was lost');
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    ['place', 'other', 'color'].forEach((name, k) => gl.bindAttribLocation(program, k, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'no shader');
    return program;
  }

  /// x, y, z of each point, in the order of the data.
  setMap(map: number, places: Float32Array): void {
    const sorted = new Float32Array(3 * this.n);
    for (let s = 0; s < this.n; ++s) {
      const i = 3 * this.order[s];
      sorted[3 * s] = places[i];
      sorted[3 * s + 1] = places[i + 1];
      sorted[3 * s + 2] = places[i + 2];
    }
    this.maps[map] = this.upload(this.maps[map], sorted);
  }

  /// Red, green, blue, alpha of each point, in the order of the data.
  setColors(set: number, colors: Uint32Array): void {
    const sorted = new Uint32Array(this.n);
    for (let s = 0; s < this.n; ++s) sorted[s] = colors[this.order[s]];
    this.colorSets[set] = this.upload(this.colorSets[set], sorted);
  }

  /// Pairs of points to join.
  setEdges(pairs: ArrayLike<number>): void {
    const slotOf = new Uint32Array(this.n);
    for (let s = 0; s < this.n; ++s) slotOf[this.order[s]] = s;
    const slots = new Uint32Array(pairs.length);
    for (let k = 0; k < pairs.length; ++k) slots[k] = slotOf[pairs[k]];
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, this.edgeBuffer);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, slots, this.gl.STATIC_DRAW);
  }

  private upload(buffer: WebGLBuffer | undefined, content: Float32Array | Uint32Array): WebGLBuffer {
    const target = buffer ?? this.gl.createBuffer();
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, target);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, content, this.gl.STATIC_DRAW);
    return target;
  }

  resize(width: number, height: number, ratio: number): void {
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (this.canvas.width === w && this.canvas.height === h) return;
    this.canvas.width = w;
    this.canvas.height = h;
  }

  /// Slots `from` to `to` of every view, over what is there where `from` is not 0. `ratio`: pixels of
  /// the canvas a CSS pixel. Faint points of all slots come before the others: slots of a second
  /// round count on from n.
  draw(views: readonly View[], look: Look, from: number, to: number, ratio: number): void {
    const gl = this.gl;
    if (from === 0) {
      gl.scissor(0, 0, this.canvas.width, this.canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    }
    for (const view of views) {
      if (!this.maps[view.map] || !this.maps[view.other] || !this.colorSets[view.colors]) continue;
      const box: [number, number, number, number] = [
        Math.round(view.left * ratio),
        this.canvas.height - Math.round((view.top + view.height) * ratio),
        Math.round(view.width * ratio),
        Math.round(view.height * ratio),
      ];
      gl.viewport(...box);
      gl.scissor(...box);
      if (view.camera.isDeep) gl.enable(gl.DEPTH_TEST);
      else gl.disable(gl.DEPTH_TEST);
      this.attributes(view);
      gl.useProgram(this.points);
      this.uniforms(this.points, view, look, ratio);
      const n = this.n;
      for (const [pass, start] of look.isSplit
        ? [
            [0, 0],
            [1, n],
          ]
        : [[2, 0]]) {
        const [first, last] = [Math.max(from - start, 0), Math.min(to - start, n)];
        if (last <= first) continue;
        gl.uniform1i(this.location(this.points, 'pass'), pass);
        gl.drawArrays(gl.POINTS, first, last - first);
      }
      if (look.edges && look.edges.count > 0) this.drawEdges(view, look, ratio);
    }
  }

  private drawEdges(view: View, look: Look, ratio: number): void {
    const gl = this.gl;
    if (!look.edges) return;
    gl.useProgram(this.lines);
    this.uniforms(this.lines, view, look, ratio);
    gl.uniform1i(this.location(this.lines, 'pass'), 2);
    gl.uniform4f(this.location(this.lines, 'tint'), ...(look.edges.color as [number, number, number, number]));
    gl.disable(gl.DEPTH_TEST);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.edgeBuffer);
    gl.drawElements(gl.LINES, look.edges.count, gl.UNSIGNED_INT, 0);
  }

  private attributes(view: View): void {
    const gl = this.gl;
    const bind = (k: number, buffer: WebGLBuffer, size: number, type: number, normalized: boolean): void => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, type, normalized, 0, 0);
    };
    bind(0, this.maps[view.map], 3, gl.FLOAT, false);
    bind(1, this.maps[view.other], 3, gl.FLOAT, false);
    bind(2, this.colorSets[view.colors], 4, gl.UNSIGNED_BYTE, true);
  }

  private location(program: WebGLProgram, name: string): WebGLUniformLocation | null {
    const key = (program === this.points ? 'p:' : 'l:') + name;
    let found = this.locations.get(key);
    if (found === undefined) {
      found = this.gl.getUniformLocation(program, name);
      this.locations.set(key, found);
    }
    return found;
  }

  private uniforms(program: WebGLProgram, view: View, look: Look, ratio: number): void {
    const gl = this.gl;
    const at = (name: string): WebGLUniformLocation | null => this.location(program, name);
    const { camera } = view;
    const r = camera.rotation;
    gl.uniform1f(at('morph'), view.morph);
    gl.uniformMatrix3fv(at('rotation'), true, [...r]);
    gl.uniform2f(at('middle'), camera.x, camera.y);
    gl.uniform2f(at('scale'), (2 * camera.scale) / view.width, (2 * camera.scale) / view.height);
    gl.uniform1f(at('size'), Math.max(1, look.size * ratio));
    gl.uniform1f(at('opacity'), look.opacity);
    gl.uniform1f(at('depth'), camera.isDeep ? 1 : 0);
  }

  /// Waits until what was drawn is drawn: for measurements and pictures.
  finish(): void {
    const pixel = new Uint8Array(4);
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, pixel);
  }
}
