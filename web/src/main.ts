import './style.css';

import * as THREE from 'three';

import { Shading } from './body_view';
import { ContactTable } from './contact_table';
import { escapeText } from './escape';
import { Query, QueryPanel } from './query_panel';
import { Contact, Contacts, frameAt, PostedRecording, readRecording, Recording } from './recording';
import { connectButton, connectShortcuts, Shortcut } from './shortcuts';
import { Stage } from './stage';
import { Ticks } from './ticks';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const icon = (path: string) => `<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="${path}"/></svg>`;
const icons = {
  play: icon('M8 5v14l11-7z'),
  pause: icon('M7 5h4v14H7zM13 5h4v14h-4z'),
  forward: icon('M7 6l7 6-7 6zM16 6h2v12h-2z'),
  back: icon('M17 6l-7 6 7 6zM6 6h2v12H6z'),
  next: icon('M4 6l8 6-8 6zM16.5 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z'),
  previous: icon('M20 6l-8 6 8 6zM7.5 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z'),
  theme: icon('M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 2v12a6 6 0 0 1 0-12z'),
};

const captionHeight = 56; // pixels, with margins; of a caption of one line
const smallScreen = '(max-width: 800px)'; // as in style.css

// The page of one recording: connects the scene, the list of contacts, the controls and the keyboard.
class Player {
  private begin = 0;
  private end = 0;
  private readonly stage: Stage;
  private readonly table: ContactTable;
  private readonly ticks: Ticks;
  private readonly panel: QueryPanel | null = null;
  private readonly slider = element<HTMLInputElement>('slider');
  private fade = 1; // how long a contact stays marked, in the time of the recording
  private natural = 1; // time of the recording per second of playing at speed 1
  private jump = 0; // time between two frames if the recording has few frames, else 0
  private time = 0;
  private playing = false;
  private speed = 1;
  private contact: Contact | null = null;
  private replaced = 0; // calls of replace()
  private readonly opened: number; // frames of the recording with which the page opened
  private readonly shortcuts: Shortcut[] = [
    { label: 'Space', text: 'play or pause', keys: { ' ': () => this.setPlaying(!this.playing) } },
    { label: '← →', text: 'previous frame, next frame', keys: { ArrowLeft: () => this.frame(-1), ArrowRight: () => this.frame(1) }, repeats: true },
    { label: 'P N', text: 'previous contact, next contact', keys: { p: () => this.event(-1), n: () => this.event(1) }, repeats: true },
    { label: 'Home End', text: 'start, end', keys: { Home: () => this.seek(this.begin), End: () => this.seek(this.end) } },
    {
      label: '+ -',
      text: 'faster, slower',
      keys: { '+': () => this.setSpeed(this.speed * 2), '=': () => this.setSpeed(this.speed * 2), '-': () => this.setSpeed(this.speed / 2) },
    },
    { label: 'W', text: 'solid, solid with edges, wireframe', keys: { w: () => this.cycleShading() } },
    { label: 'F', text: 'show the whole scene', keys: { f: () => this.stage.fit() } },
    { label: 'Z', text: 'zoom to the contact', keys: { z: () => this.stage.approach() } },
    { label: 'C', text: 'show or hide the list of contacts', keys: { c: () => this.togglePanel() } },
    { label: 'T', text: 'light or dark colors', keys: { t: () => this.toggleTheme() } },
    { label: '?', text: 'show or hide this help', keys: { '?': () => this.help() } },
  ];

  constructor(
    private recording: Recording,
    query: Query | null,
    private running: boolean,
  ) {
    this.opened = recording.times.length;
    this.setTimes();
    this.time = this.begin;
    this.stage = new Stage(element<HTMLCanvasElement>('view'), recording, () => ({
      top: element('header').offsetHeight,
      bottom: this.recording.contacts.count > 0 ? captionHeight : 0,
    }));
    this.ticks = new Ticks(recording);
    this.table = new ContactTable(recording, (index) => this.choose(index));
    element('title').textContent = recording.title;
    document.title = recording.title;
    this.setPanel(!query && recording.contacts.count > 0 && !matchMedia(smallScreen).matches);
    if (query) this.panel = new QueryPanel(query, this.stage, (time) => this.seek(time));
    this.writeFacts();
    this.connect();
    this.setTheme(this.preferredTheme());
    const triangles = recording.bodies.reduce((sum, body) => sum + body.faces.length / 3, 0);
    this.setShading(triangles < 6000 ? 'edges' : 'solid');
    this.setSpeed(1);
    this.stage.fit();
    this.seekOpening();
    this.loop();
  }

  private setTimes() {
    const { times, timeUnit } = this.recording;
    this.begin = times[0];
    this.end = times[times.length - 1];
    const length = this.end - this.begin;
    const seconds = timeUnit === 's';
    this.natural = seconds ? 1 : length / 5 || 1;
    this.fade = seconds ? Math.max(0.15, 0.02 * length) : 0.08 * length || 1;
    this.jump = times.length < 12 ? length / 60 : 0;
  }

  // A recording that grows opens at its end, a simulation at its start, and any other at its first contact.
  private seekOpening() {
    if (this.running) this.seek(this.end);
    else if (this.recording.contacts.count > 0 && this.recording.timeUnit !== 's') this.choose(0);
    else this.seek(this.begin);
  }

  // Shows another recording of the same bodies. The view of a reader at the end of a growing recording stays
  // at its end.
  replace(recording: Recording, running: boolean) {
    const [grows, follows] = [this.running, this.time === this.end && !this.playing];
    ++this.replaced;
    this.recording = recording;
    this.running = running;
    this.setTimes();
    this.contact = null;
    element('caption').replaceChildren();
    this.stage.replace(recording);
    this.table.replace(recording);
    this.ticks.replace(recording);
    this.writeFacts();
    this.enableContacts();
    if (!grows) this.seekOpening();
    else this.seek(follows ? this.end : this.time);
  }

  private enableContacts() {
    for (const name of ['previous', 'next']) element<HTMLButtonElement>(name).disabled = this.recording.contacts.count === 0;
  }

  private writeFacts() {
    // The name of a fact may end with the unit: seconds.
    const facts = this.recording.facts.map(([name, value]) => {
      const [, plain, unit = ''] = /^(.*?)(_s)?$/.exec(name)!;
      return `<span>${escapeText(plain.replaceAll('_', ' '))} <b>${escapeText(value + unit.replace('_', ' '))}</b></span>`;
    });
    if (this.panel) facts.unshift(`<span class="lead">${escapeText(this.panel.summary())}</span>`);
    element('facts').innerHTML = facts.join(' ');
  }

  private connect() {
    for (const name of ['previous', 'back', 'forward', 'next'] as const) element(name).innerHTML = icons[name];
    element('theme').innerHTML = icons.theme;
    this.setPlaying(false);
    const on = (id: string, action: () => void) => connectButton(element(id), action);
    on('play', () => this.setPlaying(!this.playing));
    on('back', () => this.frame(-1));
    on('forward', () => this.frame(1));
    on('previous', () => this.event(-1));
    on('next', () => this.event(1));
    this.enableContacts();
    on('shading', () => this.cycleShading());
    on('fit', () => this.stage.fit());
    on('panel', () => this.togglePanel());
    on('theme', () => this.toggleTheme());
    on('ask', () => this.help());
    on('speed', () => this.setSpeed(this.speed >= 4 ? 0.125 : this.speed * 2));
    this.slider.addEventListener('input', () => {
      this.setPlaying(false);
      this.seek(this.begin + Number(this.slider.value) * (this.end - this.begin));
    });
    connectShortcuts(this.shortcuts, ['?']);
    const dialog = element<HTMLDialogElement>('help');
    dialog.addEventListener('click', () => this.closeHelp());
    // Escape closes the dialog; the event may come after the dialog was opened again.
    dialog.addEventListener('close', () => dialog.open || this.closeHelp());
  }

  // Goes to a time, limited to the recording. The latest contact is marked if it is not older than `fade`.
  seek(time: number) {
    this.time = Math.max(this.begin, Math.min(this.end, time));
    const { contacts } = this.recording;
    const last = contacts.upTo(this.time) - 1;
    const lit = last >= 0 && this.time - contacts.times[last] <= this.fade;
    // Several contacts may have the same time; the chosen one stays marked.
    const keep = this.contact && this.contact.time === contacts.times[last] ? this.contact.index : last;
    this.present(lit ? keep : -1);
  }

  // Goes to a contact.
  private choose(index: number) {
    this.setPlaying(false);
    this.time = this.recording.contacts.times[index];
    this.present(index);
  }

  // Shows the current time and marks a contact; -1 marks none.
  private present(index: number) {
    const changed = (this.contact?.index ?? -1) !== index;
    if (changed) this.contact = index < 0 ? null : this.recording.contacts.at(index);
    this.stage.show(this.time, this.fade, this.contact);
    this.table.select(index);
    this.panel?.show(this.time);
    const length = this.end - this.begin;
    this.slider.value = String(length > 0 ? (this.time - this.begin) / length : 0);
    const time = this.recording.timeUnit === 's' ? `${this.time.toFixed(3)} s` : `t = ${this.time.toFixed(6)}`;
    this.slider.setAttribute('aria-valuetext', time);
    element('time').textContent = time;
    if (changed) element('caption').innerHTML = this.contact ? this.caption(index) : '';
  }

  private caption(index: number): string {
    const side = (k: 0 | 1) => {
      const [body, part] = [this.table.bodyOf(index, k), this.table.describe(index, k)];
      return escapeText(part.startsWith(body) || this.recording.bodies.length === 1 ? part : `${body}, ${part}`);
    };
    const [a, b] = [side(0), side(1)];
    return `<i><b>${escapeText(this.contact!.kind)}</b> at ${this.contact!.time}</i> <i class="a">${a}</i> <i class="b">${b}</i>`;
  }

  // Goes to the next frame (by = 1) or to the previous frame (by = -1).
  private frame(by: number) {
    this.setPlaying(false);
    if (this.jump > 0) return this.seek(this.time + by * this.jump);
    const { times } = this.recording;
    const { from, part } = frameAt(times, this.time);
    const frame = by > 0 ? from + 1 : part > 0 ? from : from - 1;
    this.seek(times[Math.max(0, Math.min(times.length - 1, frame))]);
  }

  // Goes to the next contact (by = 1) or to the previous contact (by = -1), in the order of the list.
  private event(by: number) {
    const { contacts } = this.recording;
    if (contacts.count === 0) return;
    let index = this.contact && this.contact.time === this.time ? this.contact.index + by : contacts.upTo(this.time) - (by > 0 ? 0 : 1);
    index = Math.max(0, Math.min(contacts.count - 1, index));
    this.choose(index);
  }

  private setPlaying(playing: boolean) {
    if (playing && this.time >= this.end) this.time = this.begin;
    this.playing = playing && this.end > this.begin;
    element('play').innerHTML = this.playing ? icons.pause : icons.play;
    element('play').setAttribute('aria-label', this.playing ? 'pause' : 'play');
  }

  private setSpeed(speed: number) {
    this.speed = Math.max(1 / 64, Math.min(16, speed));
    element('speed').textContent = this.speed >= 1 ? `${this.speed}×` : `1/${1 / this.speed}×`;
  }

  private cycleShading() {
    const all: Shading[] = ['solid', 'edges', 'wireframe'];
    this.setShading(all[(all.indexOf(this.stage.shading) + 1) % 3]);
  }

  private setShading(shading: Shading) {
    element('shading').textContent = { solid: 'Solid', edges: 'Edges', wireframe: 'Wireframe' }[shading];
    this.stage.setShading(shading, new THREE.Color(document.documentElement.dataset.theme === 'dark' ? '#e8eaf0' : '#101418'));
  }

  private preferredTheme(): string {
    try {
      const kept = localStorage.getItem('graze-theme');
      if (kept) return kept;
    } catch {
      // Browsers may refuse storage to a page that was opened from disk.
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  setTheme(theme: string) {
    if (document.documentElement.dataset.theme === theme) return;
    document.documentElement.dataset.theme = theme;
    this.setShading(this.stage.shading);
    this.ticks.draw();
  }

  private toggleTheme() {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    this.setTheme(theme);
    try {
      localStorage.setItem('graze-theme', theme);
    } catch {
      // The choice is not kept if the browser refuses storage.
    }
  }

  // Shows or hides the list of contacts.
  private setPanel(open: boolean) {
    document.body.classList.toggle('narrow', !open);
    element('panel').setAttribute('aria-expanded', String(open));
    this.stage.redraw();
  }

  private togglePanel() {
    this.setPanel(document.body.classList.contains('narrow'));
  }

  private help() {
    const dialog = element<HTMLDialogElement>('help');
    if (dialog.open) return this.closeHelp();
    const key = (label: string) => label.split(' ').map((name) => `<kbd>${name}</kbd>`).join(' ');
    dialog.innerHTML =
      '<h2 id="help-title">Keyboard shortcuts</h2><dl>' +
      this.shortcuts.map(({ label, text }) => `<dt>${key(label)}</dt><dd>${text}</dd>`).join('') +
      '</dl><p>In the list of contacts, ↑ and ↓ move between the rows, and Enter goes to the contact.</p>' +
      '<p>Drag to rotate, scroll to zoom, drag with the right button to pan. On a touch screen, one finger rotates, two fingers zoom and pan.</p>' +
      '<button>Close</button>';
    dialog.showModal();
  }

  // Empties the dialog too: a hidden button that keeps the focus would take the next Space.
  private closeHelp() {
    const dialog = element<HTMLDialogElement>('help');
    if (dialog.open) dialog.close();
    dialog.replaceChildren();
  }

  private loop() {
    let last = performance.now();
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      const passed = Math.min(0.1, (now - last) / 1000);
      last = now;
      if (!this.playing) return;
      const time = this.time + passed * this.speed * this.natural;
      this.seek(time);
      if (time >= this.end) this.setPlaying(false);
    };
    requestAnimationFrame(tick);
  }

  // Returns the functions that tests and scripts call, as window.graze.
  get handle() {
    return {
      state: () => ({
        time: this.time,
        playing: this.playing,
        shading: this.stage.shading,
        drawn: this.stage.drawn,
        contacts: this.recording.contacts.count,
        frames: this.recording.times.length,
        contact: this.contact,
        opened: this.opened,
        replaced: this.replaced,
      }),
      seek: (time: number) => this.seek(time),
      choose: (index: number) => this.choose(index),
      look: (x: number, y: number, z: number) => this.stage.fit(new THREE.Vector3(x, y, z)),
      approach: () => this.stage.approach(),
      measure: (frames: number) => this.stage.measure(frames),
      memory: () => this.stage.memory(),
    };
  }
}

declare global {
  interface Window {
    graze?: Player['handle'];
  }
}

// Shows a recording, or the reason why that is not possible. Returns the page that shows it.
function open(read: () => Recording, query: Query | null, running = false): Player | null {
  try {
    const player = new Player(read(), query, running);
    window.graze = player.handle;
    return player;
  } catch (error) {
    element('title').textContent = 'The recording cannot be shown';
    element('facts').textContent = error instanceof Error ? error.message : String(error);
    return null;
  }
}

function decode(base64: string): ArrayBuffer {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

// A page with several queries shows the query that the fragment of the address names, else the first.
// A list lets the reader choose another query.
const queries = JSON.parse(element('query').textContent!) as Query[];
if (element('recording').textContent!.trim() === 'posted') {
  // In a frame of the playground, which posts recordings of the same bodies once this page is ready.
  let player: Player | null = null;
  addEventListener('message', ({ source, data }: MessageEvent<PostedRecording>) => {
    if (source !== parent) return;
    const { recording, running, theme } = data;
    if (recording) {
      const read = () => (recording instanceof ArrayBuffer ? readRecording(recording) : { ...recording, contacts: new Contacts(...recording.contacts) });
      if (player) player.replace(read(), running);
      else player = open(read, null, running);
    }
    player?.setTheme(theme);
  });
  parent.postMessage('ready', '*');
} else if (queries.length === 0) {
  open(() => readRecording(decode(element('recording').textContent!.trim())), null);
} else {
  const chosen = queries.find((query) => '#' + query.id === decodeURIComponent(location.hash)) ?? queries[0];
  open(() => readRecording(decode(chosen.recording)), chosen);
  addEventListener('hashchange', () => location.reload());
  if (queries.length > 1) {
    const list = document.createElement('select');
    list.title = 'query';
    list.append(...queries.map((query) => new Option(query.title, query.id, false, query === chosen)));
    list.addEventListener('change', () => (location.hash = list.value));
    element('title').replaceChildren(list);
  }
}
