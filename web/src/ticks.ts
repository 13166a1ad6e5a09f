import { Recording } from './recording';

// The bars above the slider: how many contacts begin at each time, on a logarithmic scale.
export class Ticks {
  private readonly canvas = document.getElementById('ticks') as HTMLCanvasElement;

  constructor(private recording: Recording) {
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  // Draws another recording.
  replace(recording: Recording) {
    this.recording = recording;
    this.draw();
  }

  draw() {
    const { times, contacts } = this.recording;
    const ratio = Math.min(2, devicePixelRatio);
    const width = (this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio)));
    const height = (this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio)));
    const begin = times[0], length = times[times.length - 1] - begin || 1;
    const bin = 2 * ratio;
    const counts = new Float32Array(Math.ceil(width / bin) + 1);
    for (const time of contacts.times) counts[Math.max(0, Math.min(counts.length - 1, Math.floor((((time - begin) / length) * (width - 1)) / bin)))] += 1;
    const most = Math.log1p(Math.max(1, ...counts));
    const context = this.canvas.getContext('2d')!;
    context.clearRect(0, 0, width, height);
    context.fillStyle = getComputedStyle(this.canvas).color;
    counts.forEach((count, i) => {
      if (count === 0) return;
      const tall = (0.3 + 0.7 * (Math.log1p(count) / most)) * height;
      context.fillRect(i * bin, height - tall, bin - 0.5 * ratio, tall);
    });
  }
}
