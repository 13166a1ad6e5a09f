// The tabs that show recordings in the viewer: dropped meshes, and scenes.
import type { PostedRecording } from '../../src/recording';
import { isRecording } from './gltf';
import type { NamedFile, Work } from './work';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

// Shows a recording in a new frame with the page of the viewer.
function showRecording(place: HTMLElement, recording: PostedRecording) {
  const frame = document.createElement('iframe');
  frame.title = 'The viewer';
  addEventListener('message', function ready({ source, data }) {
    if (source !== frame.contentWindow || data !== 'ready') return;
    removeEventListener('message', ready);
    frame.contentWindow!.postMessage(recording, '*');
  });
  frame.srcdoc = viewerPage();
  place.replaceChildren(frame);
}

function viewerPage(): string {
  const binary = atob(element('viewer').textContent!.trim());
  return new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
}

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
        showRecording(element('meshes-frame'), only.bytes.buffer as ArrayBuffer);
        return this.status(`${only.name}: a recording`);
      }
      if (this.first && named.length === 1) named = [this.first, only];
      this.first = null;
      if (named.length === 1) {
        this.first = only;
        return this.status(`${only.name} is the first frame; now choose or drop the second one`);
      }
      named.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
      const recording = await this.work.run('frames', { files: named }, (text) => this.status(text));
      showRecording(element('meshes-frame'), recording);
      this.status(recording.facts.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', '));
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
  { name: 'turn', label: 'turn (degrees)', min: -170, max: 170, value: 90 },
];

export class ScenesTab {
  private asked = 0; // answers to earlier requests are dropped

  constructor(
    private readonly work: Work,
    private readonly report: (problem: unknown) => void,
  ) {
    const poses = element('poses');
    for (const { name, label, min, max, value } of sliders) {
      const row = document.createElement('label');
      const input = document.createElement('input');
      Object.assign(input, { type: 'range', id: `pose-${name}`, min, max, step: 'any', value });
      input.addEventListener('change', () => this.knots());
      row.append(`${label} `, input);
      poses.append(row);
    }
    element('scene-cloth').addEventListener('click', () => this.show(this.work.run('cloth', { triangles: 4000, frames: 9 }, (text) => this.status(text))));
    element('scene-hoop').addEventListener('click', () => this.show(this.work.run('hoop', { seconds: 2 }, (text) => this.status(text))));
    element('scene-knots').addEventListener('click', () => this.knots());
  }

  private knots() {
    const at = (name: string) => Number(element<HTMLInputElement>(`pose-${name}`).value);
    const [x, y, z] = ['x', 'y', 'z'].map(at);
    void this.show(this.work.run('knots', { from: [x, y, z], to: [at('to'), y, z], turn: at('turn') }, (text) => this.status(text)));
  }

  private status(text: string) {
    element('scenes-status').textContent = text;
  }

  private async show(job: ReturnType<Work['run']>) {
    const asked = ++this.asked;
    this.report('');
    this.status('computing in a worker');
    try {
      const recording = (await job) as Exclude<PostedRecording, ArrayBuffer>;
      if (asked !== this.asked) return;
      showRecording(element('scenes-frame'), recording);
      this.status(recording.facts.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', '));
    } catch (error) {
      this.status('');
      this.report(error);
    }
  }
}
