// The jobs of the worker, and the class with which the page runs them.
import type { MethodAnswer, Query } from '../../src/query_panel';
import type { PlainRecording } from '../../src/recording';
import type { Truth } from './judge';
import type { PlayQuery } from './query';

export interface NamedFile {
  name: string;
  bytes: Uint8Array;
}
export interface Placement {
  from: [number, number, number];
  to: [number, number, number];
  turn: number; // degrees about y, from the start to the end
}

export interface Jobs {
  // `proof`: whether a certificate is wanted. It is empty if it needs more than the budget.
  answers: {
    ask: { query: PlayQuery; methods: string[]; truth: Truth; proof: boolean };
    answer: { answers: (MethodAnswer & { milliseconds: number })[]; certificate: Query['certificate'] };
  };
  frames: { ask: { files: NamedFile[] }; answer: PlainRecording };
  cloth: { ask: { triangles: number; frames: number }; answer: PlainRecording };
  hoop: { ask: { seconds: number }; answer: PlainRecording };
  knots: { ask: Placement; answer: PlainRecording };
}

export interface Request<K extends keyof Jobs = keyof Jobs> {
  id: number;
  job: K;
  ask: Jobs[K]['ask'];
}
// `recording`: the part that is computed so far.
export interface Progress {
  text: string;
  recording?: PlainRecording;
}
export type Reply = { id: number } & ({ answer: unknown } | { error: string } | { progress: Progress });

// A worker with the library, started by the first job. Jobs run one after the other.
export class Work {
  private readonly waiting = new Map<number, { done: (answer: never) => void; failed: (error: Error) => void; progress?: (made: Progress) => void }>();
  private next = 0;
  private worker: Worker | null = null;

  constructor(
    private readonly makeWorker: () => Worker,
    private readonly module: WebAssembly.Module,
  ) {}

  get busy() {
    return this.waiting.size > 0;
  }

  run<K extends keyof Jobs>(job: K, ask: Jobs[K]['ask'], progress?: (made: Progress) => void): Promise<Jobs[K]['answer']> {
    this.worker ??= this.start();
    const id = this.next++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, progress });
      this.worker!.postMessage({ id, job, ask } satisfies Request);
    });
  }

  // Ends the worker. Its jobs neither answer nor fail.
  cancel() {
    this.worker?.terminate();
    this.worker = null;
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = this.makeWorker();
    worker.postMessage(this.module);
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const job = this.waiting.get(data.id);
      if (!job) return;
      if ('progress' in data) return job.progress?.(data.progress);
      this.waiting.delete(data.id);
      if ('error' in data) job.failed(new Error(data.error));
      else job.done(data.answer as never);
    });
    return worker;
  }
}
