// The tabs that show recordings in the viewer: dropped meshes, and scenes.
import type { PlainRecording, PostedRecording } from '../../src/recording';
import { decode } from './embedded';
import { isRecording } from './gltf';
import type { Jobs, NamedFile, Progress, Work } from './work';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

type Shown = Omit<PostedRecording, 'theme'>;

// A frame with the page of the viewer.
class ViewerFrame {
  private readonly frame = document.createElement('iframe');
  private ready = false;
  private waiting: Shown | null = null; // posted once the page is ready

  constructor(place: HTMLElement) {
    this.frame.title = 'The viewer';
    addEventListener('message', ({ source, data }) => {
      if (source !== this.frame.contentWindow || data !== 'ready') return;
      this.ready = true;
      this.forwardDrops(this.frame.contentWindow!);
      if (this.waiting) this.show(this.waiting);
    });
    new MutationObserver(() => this.ready && this.show({ running: false })).observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.frame.srcdoc = new TextDecoder().decode(decode('viewer'));
    place.replaceChildren(this.frame);
  }

  // Files that are dropped on the viewer are dropped on the page.
  private forwardDrops(viewer: Window) {
    viewer.addEventListener('dragover', (event) => event.preventDefault());
    viewer.addEventListener('drop', (event) => {
      event.preventDefault();
      dispatchEvent(new DragEvent('drop', { dataTransfer: event.dataTransfer, cancelable: true }));
    });
  }

  // Shows a recording, in the colors of this page. All recordings of one frame have the same bodies.
  show(shown: Shown) {
    const theme = document.documentElement.dataset.theme!;
    if (this.ready) this.frame.contentWindow?.postMessage({ ...shown, theme } satisfies PostedRecording, '*');
    else this.waiting = shown;
  }
}

// Returns the facts of a recording that are no times of computing: the viewer shows all of them.
const resultOf = ({ facts }: PlainRecording) =>
  facts.filter(([, value]) => !/^[\d.e-]+ s$/.test(value)).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', ');

export class MeshesTab {
  private first: NamedFile | null = null; // a single mesh that waits for its second frame

  constructor(
    private readonly work: Work,
    private readonly report: (problem: unknown) => void,
    private readonly open: () => void,
  ) {
    const input = element<HTMLInputElement>('files');
    input.addEventListener('change', () => {
      void this.take([...(input.files ?? [])]);
      input.value = '';
    });
    // Files may be dropped anywhere on the page.
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      this.open();
      void this.take(files);
    });
  }

  private status(text: string) {
    element('meshes-status').textContent = text;
  }

  private async take(files: File[]) {
    this.report('');
    try {
      this.status(`reading ${files.length} ${files.length === 1 ? 'file' : 'files'}`);
      let named: NamedFile[] = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
      const [only] = named;
      if (named.length === 1 && /\.glb$/i.test(only.name) && isRecording(only.bytes, only.name)) {
        new ViewerFrame(element('meshes-frame')).show({ recording: only.bytes.buffer as ArrayBuffer, running: false });
        return this.status(`${only.name}: a recording`);
      }
      if (this.first && named.length === 1) named = [this.first, only];
      this.first = null;
      if (named.length === 1) {
        this.first = only;
        return this.status(`${only.name} is the first frame; now choose or drop the second one`);
      }
      named.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
      if (this.work.busy) this.work.cancel(); // with files that were chosen before
      const recording = await this.work.run('frames', { files: named }, ({ text }) => this.status(text));
      new ViewerFrame(element('meshes-frame')).show({ recording, running: false });
      this.status(resultOf(recording));
    } catch (error) {
      this.first = null;
      this.status('');
      this.report(error);
    }
  }
}

const sliders: { name: string; label: string; min: number; max: number; value: number }[] = [
  { name: 'x', label: 'start x', min: -6, max: 6, value: 5 },
  { name: 'y', label: 'start y', min: -6, max: 6, value: 0.5 },
  { name: 'z', label: 'start z', min: -6, max: 6, value: 0 },
  { name: 'to', label: 'end x', min: -6, max: 6, value: -5 },
  { name: 'turn', label: 'turn (°)', min: -170, max: 170, value: 90 },
];

type Scene = 'cloth' | 'hoop' | 'knots';

export class ScenesTab {
  private frame: ViewerFrame | null = null;
  private scene: Scene | null = null; // shown in the frame
  private moved = false; // a slider has moved since the running job of the knots began

  constructor(
    private readonly work: Work,
    private readonly report: (problem: unknown) => void,
  ) {
    const poses = element('poses');
    for (const { name, label, min, max, value } of sliders) {
      const row = document.createElement('label');
      const input = document.createElement('input');
      const shown = document.createElement('output');
      Object.assign(input, { type: 'range', id: `pose-${name}`, min, max, step: 0.01, value });
      shown.textContent = String(value);
      input.addEventListener('input', () => {
        shown.textContent = input.value;
        this.move();
      });
      row.append(`${label} `, input, shown);
      poses.append(row);
    }
    element('scene-cloth').addEventListener('click', () => this.run('cloth', { triangles: 8000, frames: 61 }));
    element('scene-hoop').addEventListener('click', () => this.run('hoop', { seconds: 4 }));
    element('scene-knots').addEventListener('click', () => this.run('knots', this.placement()));
    element('scene-stop').addEventListener('click', () => {
      this.work.cancel();
      this.setRunning(false);
      this.status(`${element('scenes-status').textContent}, stopped`);
    });
    this.setRunning(false);
  }

  private placement(): Jobs['knots']['ask'] {
    const at = (name: string) => Number(element<HTMLInputElement>(`pose-${name}`).value);
    const [x, y, z] = ['x', 'y', 'z'].map(at);
    return { from: [x, y, z], to: [at('to'), y, z], turn: at('turn') };
  }

  // Shows the knots of the sliders. A running job is finished first; positions in the meantime are skipped.
  private move() {
    this.moved = true;
    if (this.scene !== 'knots' || !this.work.busy) void this.run('knots', this.placement());
  }

  private status(text: string) {
    element('scenes-status').textContent = text;
  }

  private setRunning(running: boolean) {
    element<HTMLButtonElement>('scene-stop').disabled = !running;
  }

  // Runs a scene in the worker and shows it while it is computed. Ends another scene that is running.
  private async run<K extends Scene>(scene: K, ask: Jobs[K]['ask']) {
    if (this.work.busy) this.work.cancel();
    this.report('');
    this.status('computing in a worker');
    this.setRunning(true);
    this.moved = false;
    // A run from the start opens a new frame; the knots of other poses are shown in the same one.
    if (scene !== 'knots' || this.scene !== 'knots') this.frame = new ViewerFrame(element('scenes-frame'));
    this.scene = scene;
    element('poses').hidden = scene !== 'knots';
    try {
      const recording = await this.work.run(scene, ask, ({ text, recording: part }: Progress) => {
        this.status(text);
        if (part) this.frame!.show({ recording: part, running: true });
      });
      this.frame!.show({ recording, running: false });
      this.status(resultOf(recording));
    } catch (error) {
      this.status('');
      this.report(error);
    }
    this.setRunning(false);
    if (this.moved) void this.run('knots', this.placement());
  }
}
