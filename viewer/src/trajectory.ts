// The network of milestones over the maps: in, every point's place on an edge; out, a curve for each edge
// through the points that lie on it, as they lie in a map.
import type { TrajectoryHead } from './data.ts';

export interface Tree {
  nodes: (number[] | null)[]; // x, y, z of each milestone
  curves: number[][][]; // for each edge, places from milestone to milestone
}

const stretches = 8;

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Medians of the points of each stretch of an edge; a milestone lies between the ends of its edges.
export function treeOf(
  head: TrajectoryHead,
  edgeOf: ArrayLike<number>,
  fraction: ArrayLike<number>,
  places: Float32Array,
): Tree {
  const inside: number[][][] = head.edges.map(() => Array.from({ length: stretches }, () => []));
  for (let i = 0; i < edgeOf.length; ++i) {
    if (edgeOf[i] === 0) continue;
    inside[edgeOf[i] - 1][Math.min(stretches - 1, Math.floor((fraction[i] / 255) * stretches))].push(i);
  }
  const curves = inside.map((bins) =>
    bins
      .filter((points) => points.length > 0)
      .map((points) => [0, 1, 2].map((k) => median(points.map((i) => places[3 * i + k])))),
  );
  const nodes = head.milestones.map((_, m) => {
    const around = head.edges.flatMap(([from, to], e) => {
      if (curves[e].length === 0) return [];
      return [...(from === m ? [curves[e][0]] : []), ...(to === m ? [curves[e][curves[e].length - 1]] : [])];
    });
    if (around.length === 0) return null;
    return [0, 1, 2].map((k) => around.reduce((sum, at) => sum + at[k], 0) / around.length);
  });
  const whole = curves.map((curve, e) => {
    const [from, to] = head.edges[e].map((m) => nodes[m]);
    return curve.length > 0 && from && to ? [from, ...curve, to] : [];
  });
  return { nodes, curves: whole };
}
