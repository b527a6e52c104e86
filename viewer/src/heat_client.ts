// The page's side of the heat worker: asks for heat from a point, keeps what comes back.
import type { GraphHead, PageStore } from './data.ts';
import { diagonalAt, distancesFrom, sliderTimes } from './heat.ts';
import type { GraphMessage, HeatMessage, ReadyMessage, SourceMessage } from './worker.ts';
import workerSource from 'worker-source';

export interface Snapshot {
  time: number;
  source: number; // a place of the graph
  logHeat: Float32Array;
}

export class HeatClient {
  readonly graph: GraphHead;
  times: number[] = [];
  jump = 1;
  private readonly store: PageStore;
  private readonly onChange: () => void;
  private worker: Promise<Worker> | null = null;
  private placeTable: ArrayLike<number> | null = null;
  private logDiagonal: ArrayLike<number> | null = null;
  private snapshots: (Snapshot | undefined)[] = [];
  private ticket = 0;
  private source = -1;

  constructor(store: PageStore, graph: GraphHead, onChange: () => void) {
    this.store = store;
    this.graph = graph;
    this.onChange = onChange;
  }

  placeOf(point: number): number {
    return this.placeTable ? this.placeTable[point] : point;
  }
  get readyCount(): number {
    let count = 0;
    while (count < this.times.length && this.snapshots[count]) ++count;
    return count;
  }
  /// The slider's place of the run's own time.
  get ownIndex(): number {
    const at = this.times.indexOf(this.graph.time);
    return at >= 0 ? at : Math.floor(this.times.length / 2);
  }
  async snapshot(index: number): Promise<Snapshot | null> {
    return this.snapshots[index] ?? null;
  }
  async distances(snapshot: Snapshot): Promise<Float32Array> {
    const { graph } = this;
    let diagonal: Float32Array | null = null;
    if (graph.diagonalTimes.length > 1) {
      this.logDiagonal ??= await this.store.array(graph.logDiagonal);
      diagonal = diagonalAt(graph.diagonalTimes, this.logDiagonal, graph.places, snapshot.time);
    }
    const distances = distancesFrom(snapshot.source, snapshot.logHeat, diagonal, snapshot.time);
    return distances.map((distance) => distance * graph.lengthScale);
  }

  /// Starts the worker, without a source: the slider's times are known afterwards.
  prepare(): Promise<Worker> {
    this.worker ??= this.start();
    return this.worker;
  }
  private async start(): Promise<Worker> {
    const { graph, store } = this;
    if (graph.placeOf) this.placeTable = await store.array(graph.placeOf);
    const message: GraphMessage = {
      kind: 'graph',
      counts: await store.array(graph.counts),
      targets: await store.array(graph.targets),
      weights: await store.array(graph.weights),
      laplacian: graph.laplacian,
    };
    // From a blob: a page of the file system may not load a worker from another file.
    const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
    const worker = new Worker(url);
    return new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = (event: MessageEvent<ReadyMessage | HeatMessage>) => {
        const answer = event.data;
        if (answer.kind === 'ready') {
          this.jump = answer.jump;
          this.times = sliderTimes(answer.jump, graph.time);
          resolve(worker);
        } else if (answer.ticket === this.ticket) {
          const time = this.times[answer.index];
          this.snapshots[answer.index] = { time, source: this.source, logHeat: answer.logHeat };
          this.onChange();
        }
      };
      worker.postMessage(message);
    });
  }

  from(point: number): void {
    const ticket = ++this.ticket;
    void this.prepare().then((worker) => {
      if (ticket !== this.ticket) return;
      const source = this.placeOf(point);
      if (source === this.source && this.readyCount === this.times.length) return;
      this.source = source;
      this.snapshots = [];
      const message: SourceMessage = { kind: 'source', source, ticket, times: this.times };
      worker.postMessage(message);
    });
  }
}
