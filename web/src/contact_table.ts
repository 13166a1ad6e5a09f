import { escapeText } from './escape';
import { Contacts, Recording } from './recording';

// The list of all contacts in the order of time. Only the visible rows exist as elements, so the focus
// stays on the list, and aria-activedescendant names the active row: the row on which the keyboard acts.

const rowHeight = 30; // pixels
const featureNames = ['', 'vertex', 'edge', 'face']; // by number of vertices

const shortTime = (time: number) => (time !== 0 && time < 1e-3 ? time.toExponential(3) : time.toPrecision(6));

export class ContactTable {
  private readonly scroller = document.getElementById('rows')!;
  private readonly shown = document.getElementById('shown')!;
  private current = -1; // the contact that the scene shows; -1 if none
  private active = 0;
  private html = ''; // of the visible rows

  // choose(index) is called when the reader selects a contact.
  constructor(
    private recording: Recording,
    private readonly choose: (index: number) => void,
  ) {
    this.scroller.addEventListener('scroll', () => this.draw());
    this.scroller.addEventListener('keydown', (event) => this.press(event));
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.shown.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.row') : null;
      if (!row) return;
      this.active = Number(row.dataset.index);
      choose(this.active);
      this.draw();
    });
    this.replace(recording);
  }

  // Lists the contacts of another recording; none is highlighted.
  replace(recording: Recording) {
    this.recording = recording;
    const { count } = this.contacts;
    document.getElementById('count')!.textContent =
      count === 0 ? 'No contacts' : count === 1 ? '1 contact' : `${count.toLocaleString('en')} contacts`;
    document.getElementById('tall')!.style.height = `${count * rowHeight}px`;
    this.scroller.tabIndex = count > 0 ? 0 : -1;
    this.current = -1;
    this.active = Math.max(0, Math.min(this.active, count - 1));
    this.draw();
  }

  private get contacts(): Contacts {
    return this.recording.contacts;
  }

  // Highlights the contact that the scene shows, and scrolls to it; -1 removes the highlight.
  select(index: number) {
    if (index === this.current) return;
    this.current = index;
    if (index >= 0) {
      this.active = index;
      if (!this.isVisible(index)) this.scroller.scrollTop = index * rowHeight - this.scroller.clientHeight / 3;
    }
    this.draw();
  }

  // Returns the kind and number of a feature, or the name of the body if the contact has no feature.
  describe(index: number, side: 0 | 1): string {
    const contact = this.contacts.at(index);
    const vertices = contact.vertices[side];
    if (vertices.length === 0) return this.bodyOf(index, side);
    return `${featureNames[Math.min(3, vertices.length)]} ${contact.names[side] ?? vertices.join(' ')}`;
  }

  // Returns the name of a body of the contact.
  bodyOf(index: number, side: 0 | 1): string {
    return this.recording.bodies[this.contacts.at(index).bodies[side]].name;
  }

  private press(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 1);
    const last = this.contacts.count - 1;
    const moves: Record<string, number> = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: last,
    };
    if (event.key in moves) {
      this.active = Math.max(0, Math.min(last, moves[event.key]));
      this.reveal(this.active);
      this.draw();
    } else if (event.key === 'Enter' || (event.key === ' ' && this.active !== this.current)) {
      this.choose(this.active);
    } else {
      return; // A shortcut may use the key. Space on the selected row plays the recording.
    }
    event.preventDefault();
  }

  private isVisible(index: number): boolean {
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    return top >= scrollTop && top + rowHeight <= scrollTop + clientHeight;
  }

  // Scrolls by the least distance that shows the whole row.
  private reveal(index: number) {
    if (this.isVisible(index)) return;
    const top = index * rowHeight;
    this.scroller.scrollTop = top < this.scroller.scrollTop ? top : top + rowHeight - this.scroller.clientHeight;
  }

  private draw() {
    const { count } = this.contacts;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - 3);
    const last = Math.min(count, first + Math.ceil(this.scroller.clientHeight / rowHeight) + 6);
    this.shown.style.transform = `translateY(${first * rowHeight}px)`;
    let html = '';
    for (let i = first; i < last; ++i) {
      const state = (i === this.current ? ' current' : '') + (i === this.active ? ' active' : '');
      html +=
        `<div class="row${state}" id="contact-${i}" role="option" aria-selected="${i === this.current}" ` +
        `aria-posinset="${i + 1}" aria-setsize="${count}" data-index="${i}" style="height:${rowHeight}px">` +
        `<span class="time">${shortTime(this.contacts.times[i])}</span>` +
        `<span class="a" title="${escapeText(this.bodyOf(i, 0))}">${escapeText(this.describe(i, 0))}</span>` +
        `<span class="b" title="${escapeText(this.bodyOf(i, 1))}">${escapeText(this.describe(i, 1))}</span></div>`;
    }
    if (html !== this.html) this.shown.innerHTML = this.html = html;
    if (this.active >= first && this.active < last) this.scroller.setAttribute('aria-activedescendant', `contact-${this.active}`);
    else this.scroller.removeAttribute('aria-activedescendant');
  }
}
