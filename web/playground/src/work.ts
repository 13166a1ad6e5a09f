// The jobs of the worker, and how the page asks for them.
import type { MethodAnswer } from '../../src/query_panel';
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
  answers: { ask: { query: PlayQuery; methods: string[]; truth: Truth }; answer: MethodAnswer[] };
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
export type Reply = { id: number } & ({ answer: unknown } | { error: string } | { progress: string });

// A worker with the library. Jobs run one after the other.
export class Work {
  private readonly waiting = new Map<number, { done: (answer: never) => void; failed: (error: Error) => void; progress?: (text: string) => void }>();
  private next = 0;

  constructor(
    private readonly worker: Worker,
    module: WebAssembly.Module,
  ) {
    worker.postMessage(module);
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const job = this.waiting.get(data.id);
      if (!job) return;
      if ('progress' in data) return job.progress?.(data.progress);
      this.waiting.delete(data.id);
      if ('error' in data) job.failed(new Error(data.error));
      else job.done(data.answer as never);
    });
  }

  get busy() {
    return this.waiting.size > 0;
  }

  run<K extends keyof Jobs>(job: K, ask: Jobs[K]['ask'], progress?: (text: string) => void): Promise<Jobs[K]['answer']> {
    const id = this.next++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, progress });
      this.worker.postMessage({ id, job, ask } satisfies Request);
    });
  }
}
