// The tab of one query: dragging, presets, links, export, and the answers of all methods.
import type { Graze, Method } from './graze/graze';
import { QueryPanel, type MethodAnswer, type Query } from '../../src/query_panel';
import { answerOf, certificateOf, describe, Frame, live, methodsFor, type Truth, truthOf } from './judge';
import { type CorpusEntry, corpusText, cornerNames, cppText, fromFragment, type Kind, nextDouble, parseCorpus, parseNumber, type PlayQuery, pythonText, toFragment, toHex } from './query';
import { QueryScene } from './query_scene';
import type { Work } from './work';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

// The time that the page may compute per event. A method whose expected time does not fit, with a margin for a
// query that is harder than the last one, is answered by the worker.
const budgetMs = 8;
const plannedMs = 4;
const margin = 2;
// The address follows the query after so many milliseconds without a change: browsers limit how often a page may
// change its address.
const addressMs = 250;

const corpus = Object.entries(import.meta.glob('./corpus/*.txt', { query: '?raw', import: 'default', eager: true }) as Record<string, string>)
  .map(([file, text]) => parseCorpus(file.replace(/^.*\/|\.txt$/g, ''), text))
  .sort((a, b) => a.name.localeCompare(b.name));

export class QueryTab {
  private query: PlayQuery = { kind: 'vertex-face', numbers: new Float64Array(24) };
  private frame = new Frame(this.query);
  private truth: Truth = null;
  private answers = new Map<string, MethodAnswer>();
  private shown: Query | null = null;
  private point = 0;
  private version = 0; // of the query
  private readonly cost = new Map<string, number>(); // expected milliseconds of each method
  private lastMs = 0;
  private addressTimer = 0;
  private live = 0; // methods that the page itself answered at the last event
  private readonly scene: QueryScene;
  private panel: QueryPanel | null = null;
  private readonly slider = element<HTMLInputElement>('slider');
  private readonly inputs: HTMLInputElement[] = [];

  constructor(
    private readonly graze: Graze,
    private readonly work: Work,
    private readonly report: (problem: unknown) => void,
  ) {
    this.scene = new QueryScene(element('view'), (index) => this.choose(index), (index, point) => this.move(index, this.frame.toQuery(point)));
    this.makeCoordinates();
    this.makePresets();
    this.connect();
    this.openLink();
    if (!this.shown) this.usePreset('corpus:vf_double_root_grazes');
    this.warmUp(corpus.filter((_, i) => i % 6 === 0));
  }

  // Answers queries one by one between events: the first call of a function also compiles it, which would take time of
  // the first drag event.
  private warmUp([next, ...rest]: CorpusEntry[]) {
    setTimeout(() => {
      const { query } = next;
      const truth = truthOf(this.graze, query);
      describe(this.graze, query, truth, new Frame(query));
      if (!truth) certificateOf(this.graze, query, live.proofChecks);
      for (const method of methodsFor(this.graze, query.kind)) answerOf(this.graze, query, method, truth, live.checks);
      if (rest.length > 0) this.warmUp(rest);
    });
  }

  // ---- the query

  private set(query: PlayQuery, story: string) {
    this.report('');
    this.query = { kind: query.kind, numbers: query.numbers.slice() };
    this.frame = new Frame(this.query);
    this.cost.clear();
    element('story').textContent = story;
    const list = element<HTMLSelectElement>('point');
    list.replaceChildren(
      ...['start', 'end'].flatMap((end, e) => cornerNames[query.kind].map((name, i) => new Option(`${name}, ${end}`, String(4 * e + i)))),
    );
    this.choose(Math.min(this.point, 7));
    this.compute(0);
  }

  private move(index: number, point: ArrayLike<number>) {
    for (let axis = 0; axis < 3; ++axis) this.query.numbers[3 * index + axis] = point[axis];
    this.compute();
  }

  private setCoordinate(axis: number, value: number) {
    if (!Number.isFinite(value)) return this.report(`Coordinate ${'xyz'[axis]} must be a finite number, decimal or hexadecimal (0x1.8p-3).`);
    this.report('');
    this.query.numbers[3 * this.point + axis] = value;
    this.compute();
  }

  // ---- the answers

  // `unknownMs`: the expected time of a method that has not been timed on this query. While a point is dragged such
  // methods are left to the worker, which times them.
  private compute(unknownMs = Infinity) {
    const begin = performance.now();
    const version = ++this.version;
    const { graze, query } = this;
    this.truth = truthOf(graze, query);
    const about = describe(graze, query, this.truth, this.frame);
    const proof = this.truth ? [] : certificateOf(graze, query, live.proofChecks);
    const all = methodsFor(graze, query.kind);
    const slow: Method[] = [];
    const expected = ({ name }: Method) => this.cost.get(name) ?? unknownMs;
    // The cheapest first. The default method is always answered.
    for (const method of [...all].sort((a, b) => expected(a) - expected(b))) {
      const from = performance.now();
      if (method !== all[0] && from - begin + margin * expected(method) > plannedMs) {
        slow.push(method);
        continue;
      }
      this.answers.set(method.name, answerOf(graze, query, method, this.truth, live.checks));
      this.cost.set(method.name, Math.max(performance.now() - from, 0.5 * (this.cost.get(method.name) ?? 0)));
    }
    // A method that spent the small budget gets the large one in the worker; so does the proof.
    const open = all.filter((method) => slow.includes(method) || this.answers.get(method.name)?.verdict === 'undecided');
    this.shown = { ...about, certificate: proof ?? [], methods: this.rows(all, slow) };
    this.live = all.length - slow.length;
    this.lastMs = performance.now() - begin;
    this.present();
    if (open.length > 0 || proof === null) void this.askWorker(version, open, proof === null);
  }

  private async askWorker(version: number, methods: Method[], proof: boolean) {
    while (this.work.busy) {
      await new Promise((done) => setTimeout(done, 30));
      if (version !== this.version) return; // a later event computes its own answers
    }
    try {
      const { answers, certificate } = await this.work.run('answers', { query: this.query, methods: methods.map(({ name }) => name), truth: this.truth, proof });
      if (version !== this.version) return;
      if (proof) this.shown!.certificate = certificate;
      for (const { milliseconds, ...answer } of answers) {
        this.answers.set(answer.name, answer);
        // The page, with its smaller budget, takes no longer than the worker.
        this.cost.set(answer.name, Math.min(this.cost.get(answer.name) ?? Infinity, milliseconds));
      }
      this.shown!.methods = this.rows(methodsFor(this.graze, this.query.kind), []);
      this.present();
    } catch (error) {
      this.report(error);
    }
  }

  // Returns a row for each method. One that the worker still computes is shown without a time.
  private rows(all: Method[], slow: Method[]): MethodAnswer[] {
    return all.map((method) =>
      slow.includes(method)
        ? { name: method.name, guarantee: method.guarantee, verdict: 'undecided', toi: null, gives_time: method.givesTime, fault: '', pending: true }
        : this.answers.get(method.name)!,
    );
  }

  private present() {
    const shown = this.shown!;
    this.scene.setQuery(this.query.kind, [...shown.start, ...shown.end]);
    this.scene.choose(this.point);
    if (this.panel) this.panel.update(shown);
    else this.panel = new QueryPanel(shown, this.scene, (time) => this.seek(time));
    const [lo, hi] = [this.truth?.toi, this.truth?.toiHi];
    const times = shown.truth.intervals.length > 1 ? ` ${shown.truth.intervals.length} intervals of contact.` : '';
    element('summary').textContent = this.panel.summary() + (lo !== hi ? ` The time is not a double: it lies between ${toHex(lo!)} and ${toHex(hi!)}.` : '') + times;
    this.inputs.forEach((input, axis) => {
      if (document.activeElement !== input) input.value = String(this.query.numbers[3 * this.point + axis]);
      input.title = toHex(this.query.numbers[3 * this.point + axis]);
    });
    element('cost').textContent = `This answer took ${this.lastMs.toFixed(1)} ms (at most ${budgetMs} ms while dragging); slow methods run in a worker.`;
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => history.replaceState(null, '', toFragment(this.query)), addressMs);
    this.seek(Number(this.slider.value));
  }

  private seek(time: number) {
    this.slider.value = String(time);
    element('time').textContent = time.toFixed(4);
    this.scene.show(time);
    this.panel?.show(time);
    this.scene.redraw();
  }

  // ---- controls

  private choose(index: number) {
    this.point = index;
    element<HTMLSelectElement>('point').value = String(index);
    if (this.shown) this.present();
  }

  private makeCoordinates() {
    for (const [axis, name] of ['x', 'y', 'z'].entries()) {
      const row = document.createElement('div');
      const label = document.createElement('label');
      const input = document.createElement('input');
      input.id = `coordinate-${name}`;
      input.spellcheck = false;
      input.addEventListener('change', () => this.setCoordinate(axis, parseNumber(input.value)));
      this.inputs.push(input);
      label.append(`${name} `, input);
      const nudge = (sign: 1 | -1) => {
        const button = document.createElement('button');
        button.textContent = sign > 0 ? '+' : '−';
        button.id = `ulp-${name}-${sign > 0 ? 'up' : 'down'}`;
        button.setAttribute('aria-label', `${name} ${sign > 0 ? 'up' : 'down'} by one ulp`);
        button.addEventListener('click', () => this.setCoordinate(axis, nextDouble(this.query.numbers[3 * this.point + axis], sign)));
        return button;
      };
      row.append(label, nudge(-1), nudge(1));
      element('coordinates').append(row);
    }
  }

  private makePresets() {
    const group = (name: string, options: HTMLOptionElement[]) => {
      const made = document.createElement('optgroup');
      made.label = name;
      made.append(...options);
      return made;
    };
    const readable = (name: string) => name.replace(/^vf_/, 'vertex-face: ').replace(/^ee_/, 'edge-edge: ').replaceAll('_', ' ');
    const own = new Option('a query from a link', '');
    own.hidden = true;
    element('preset').append(
      own,
      group('Known failures', corpus.map(({ name }) => new Option(readable(name), `corpus:${name}`))),
      ...(['vertex-face', 'edge-edge'] as Kind[]).map((kind) =>
        group(`Families, ${kind}`, this.graze.generated().families.map(({ name }) => new Option(readable(name), `${kind}:${name}`))),
      ),
    );
  }

  private usePreset(value: string) {
    const [kind, name] = value.split(':');
    element<HTMLSelectElement>('preset').value = value;
    element('another').hidden = kind === 'corpus';
    if (kind === 'corpus') {
      const entry = corpus.find((one) => one.name === name)!;
      return this.set(entry.query, entry.comment);
    }
    const family = this.graze.generated().families.find((one) => one.name === name)!;
    const numbers = this.graze.generateQueries(name, kind as Kind, 1, 1 + Math.floor(Math.random() * 1e6));
    this.set({ kind: kind as Kind, numbers }, `${family.description[0].toUpperCase()}${family.description.slice(1)}.`);
  }

  private openLink() {
    try {
      const query = fromFragment(location.hash);
      if (!query) return;
      element<HTMLSelectElement>('preset').value = '';
      element('another').hidden = true;
      this.set(query, '');
    } catch (error) {
      this.usePreset('corpus:vf_double_root_grazes');
      this.report(error);
    }
  }

  private connect() {
    element('preset').addEventListener('change', () => this.usePreset(element<HTMLSelectElement>('preset').value));
    element('another').addEventListener('click', () => this.usePreset(element<HTMLSelectElement>('preset').value));
    element('point').addEventListener('change', () => this.choose(Number(element<HTMLSelectElement>('point').value)));
    this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
    addEventListener('hashchange', () => this.openLink());
    const show = (text: string) => {
      const area = element<HTMLTextAreaElement>('exported');
      area.hidden = false;
      area.value = text;
      area.select();
      area.scrollIntoView({ block: 'nearest' });
      navigator.clipboard?.writeText(text).catch(() => {}); // the text is selected where copying is refused
    };
    const on = (id: string, text: () => string) => element(id).addEventListener('click', () => show(text()));
    on('copy-link', () => location.href.replace(/#.*$/, '') + toFragment(this.query));
    on('export-corpus', () => corpusText(this.query, this.truth));
    on('export-cpp', () => cppText(this.query));
    on('export-python', () => pythonText(this.query));
  }

  // The functions that tests call.
  get handle() {
    return {
      state: () => ({
        kind: this.query.kind,
        numbers: Array.from(this.query.numbers, toHex),
        truth: this.truth,
        methods: this.shown?.methods ?? [],
        milliseconds: this.lastMs,
        live: this.live,
        drawn: this.scene.drawn,
        point: this.point,
      }),
      screenPosition: (index: number) => this.scene.screenPosition(index),
    };
  }
}
