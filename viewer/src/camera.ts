// How a panel looks at its map: places in, pixels out, and back.

export type Matrix3 = readonly [number, number, number, number, number, number, number, number, number];
const identity: Matrix3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/// Row-major product.
function times(a: Matrix3, b: Matrix3): Matrix3 {
  const at = (i: number, j: number): number => a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  return [at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(1, 1), at(1, 2), at(2, 0), at(2, 1), at(2, 2)];
}

const leastZoom = 0.2;
const mostZoom = 400;

export class Camera {
  zoom = 1;
  x = 0; // the place in the middle, after rotation
  y = 0;
  rotation: Matrix3 = identity;
  halfWidth = 1; // of the map
  halfHeight = 1;
  width = 1; // of the panel, in CSS pixels
  height = 1;
  readonly isDeep: boolean;

  constructor(isDeep: boolean) {
    this.isDeep = isDeep;
    this.reset();
  }

  reset(): void {
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.rotation = identity;
    if (this.isDeep) this.rotate(0.6, 0.45);
  }

  /// Pixels a unit of the map: at zoom 1 all of it is in sight, with a margin.
  get scale(): number {
    return this.zoom * 0.455 * Math.min(this.width / this.halfWidth, this.height / this.halfHeight);
  }

  toScreen(px: number, py: number, pz: number): [number, number] {
    const m = this.rotation;
    const x = m[0] * px + m[1] * py + m[2] * pz;
    const y = m[3] * px + m[4] * py + m[5] * pz;
    const s = this.scale;
    return [this.width / 2 + (x - this.x) * s, this.height / 2 - (y - this.y) * s];
  }

  /// The place under a pixel, in the plane of the screen.
  toPlane(sx: number, sy: number): [number, number] {
    const s = this.scale;
    return [this.x + (sx - this.width / 2) / s, this.y - (sy - this.height / 2) / s];
  }

  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /// Keeps the place under (sx, sy) where it is.
  zoomAt(sx: number, sy: number, factor: number): void {
    const [px, py] = this.toPlane(sx, sy);
    this.zoom = Math.min(mostZoom, Math.max(leastZoom, this.zoom * factor));
    const [qx, qy] = this.toPlane(sx, sy);
    this.x += px - qx;
    this.y += py - qy;
  }

  /// Angles around the screen's vertical and horizontal axis.
  rotate(around: number, over: number): void {
    const [c, s] = [Math.cos(around), Math.sin(around)];
    const [d, t] = [Math.cos(over), Math.sin(over)];
    this.rotation = times(times([1, 0, 0, 0, d, -t, 0, t, d], [c, 0, s, 0, 1, 0, -s, 0, c]), this.rotation);
  }

  /// Takes in how far the map reaches from its middle.
  fit(places: Float32Array): void {
    let [x, y, far] = [0, 0, 0];
    for (let i = 0; i < places.length; i += 3) {
      x = Math.max(x, Math.abs(places[i]));
      y = Math.max(y, Math.abs(places[i + 1]));
      far = Math.max(far, places[i] ** 2 + places[i + 1] ** 2 + places[i + 2] ** 2);
    }
    if (this.isDeep) x = y = Math.sqrt(far); // in sight from every side
    this.halfWidth = Math.max(x, 0.05);
    this.halfHeight = Math.max(y, 0.05);
  }
}
