import { Contacts, Recording } from './recording';

// All contacts in the order of time. Only the rows that are seen exist.

const rowHeight = 30;
const feature = ['', 'vertex', 'edge', 'face'];

const shortTime = (time: number) => (time !== 0 && time < 1e-3 ? time.toExponential(3) : time.toPrecision(6));

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export class ContactTable {
  private readonly scroller = document.getElementById('rows')!;
  private readonly shown = document.getElementById('shown')!;
  private readonly contacts: Contacts;
  private current = -1;

  constructor(
    private readonly recording: Recording,
    choose: (index: number) => void,
  ) {
    this.contacts = recording.contacts;
    const count = this.contacts.count;
    document.getElementById('count')!.textContent =
      count === 0 ? 'No contact' : count === 1 ? '1 contact' : `${count.toLocaleString('en')} contacts`;
    document.getElementById('tall')!.style.height = `${count * rowHeight}px`;
    this.scroller.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.shown.addEventListener('click', (event) => {
      const row = (event.target as HTMLElement).closest<HTMLElement>('.row');
      if (row) choose(Number(row.dataset.index));
    });
    this.draw();
  }

  select(index: number) {
    if (index === this.current) return;
    this.current = index;
    const top = index * rowHeight, height = this.scroller.clientHeight;
    if (index >= 0 && (top < this.scroller.scrollTop || top + rowHeight > this.scroller.scrollTop + height))
      this.scroller.scrollTop = top - height / 3;
    this.draw();
  }

  // The feature by its number or its vertices, or the body.
  describe(index: number, side: 0 | 1): string {
    const contact = this.contacts.at(index);
    const vertices = contact.vertices[side];
    const body = this.recording.bodies[contact.bodies[side]].name;
    return vertices.length ? `${feature[Math.min(3, vertices.length)]} ${contact.names[side] ?? vertices.join(' ')}` : body;
  }

  bodyOf(index: number, side: 0 | 1): string {
    return this.recording.bodies[this.contacts.at(index).bodies[side]].name;
  }

  private draw() {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 3);
    const last = Math.min(this.contacts.count, first + Math.ceil(this.scroller.clientHeight / rowHeight) + 6);
    this.shown.style.transform = `translateY(${first * rowHeight}px)`;
    let html = '';
    for (let i = first; i < last; ++i)
      html +=
        `<div class="row${i === this.current ? ' current' : ''}" data-index="${i}" style="height:${rowHeight}px">` +
        `<span class="time">${shortTime(this.contacts.times[i])}</span>` +
        `<span class="a" title="${escape(this.bodyOf(i, 0))}">${escape(this.describe(i, 0))}</span>` +
        `<span class="b" title="${escape(this.bodyOf(i, 1))}">${escape(this.describe(i, 1))}</span></div>`;
    this.shown.innerHTML = html;
  }
}
