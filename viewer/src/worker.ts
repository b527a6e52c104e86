// The heat worker: a graph once, then sources; it answers with one snapshot per time, and turns to a
// new source as soon as one arrives.
import { advance, buildOperator, type Operator } from './heat.ts';

export interface GraphMessage {
  kind: 'graph';
  counts: ArrayLike<number>;
  targets: ArrayLike<number>;
  weights: ArrayLike<number>;
  laplacian: string;
}
export interface SourceMessage {
  kind: 'source';
  source: number;
  ticket: number;
  times: number[];
}
export interface ReadyMessage {
  kind: 'ready';
  jump: number;
}
export interface HeatMessage {
  kind: 'heat';
  ticket: number;
  index: number;
  logHeat: Float32Array<ArrayBuffer>;
}

const scope = self as unknown as DedicatedWorkerGlobalScope;
let operator: Operator | null = null;
let current = 0;

async function spread(message: SourceMessage): Promise<void> {
  if (!operator) return;
  let heat: Float64Array = new Float64Array(operator.n);
  heat[message.source] = 1;
  let before = 0;
  for (let index = 0; index < message.times.length; ++index) {
    heat = advance(operator, heat, message.times[index] - before);
    before = message.times[index];
    const logHeat = new Float32Array(heat.length);
    for (let i = 0; i < heat.length; ++i) logHeat[i] = Math.log(heat[i]);
    const answer: HeatMessage = { kind: 'heat', ticket: message.ticket, index, logHeat };
    scope.postMessage(answer, [logHeat.buffer]);
    await new Promise((resolve) => setTimeout(resolve)); // lets a newer source in
    if (current !== message.ticket) return;
  }
}

scope.onmessage = (event: MessageEvent<GraphMessage | SourceMessage>) => {
  const message = event.data;
  if (message.kind === 'graph') {
    operator = buildOperator(message.counts, message.targets, message.weights, message.laplacian);
    const answer: ReadyMessage = { kind: 'ready', jump: operator.jump };
    scope.postMessage(answer);
  } else {
    current = message.ticket;
    void spread(message);
  }
};
