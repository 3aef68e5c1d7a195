/** Metrics in the text format of Prometheus. Memory is bounded: labels have few values, all of them our own. */

type Labels = Readonly<Record<string, string | number>>;
/** One number, or one per set of labels. */
type Reading = number | Iterable<readonly [Labels, number]>;

interface Metric {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  lines(): Iterable<string> | Promise<Iterable<string>>;
}

export class Counter {
  private readonly values = new Map<string, number>();

  constructor(private readonly name: string) {}

  add(labels?: Labels, by = 1): void {
    this.count(labels === undefined ? '' : textOf(labels), by);
  }

  /** For frequent labels: their text is built once. */
  with(labels: Labels): () => void {
    const key = textOf(labels);
    return () => this.count(key, 1);
  }

  private count(key: string, by: number): void {
    this.values.set(key, (this.values.get(key) ?? 0) + by);
  }

  *lines(): Iterable<string> {
    if (this.values.size === 0) yield `${this.name} 0`;
    for (const [labels, value] of this.values) yield `${this.name}${labels} ${value}`;
  }
}

export class Histogram {
  private readonly counts: number[];
  private sum = 0;
  private count = 0;

  /** `bounds` are in ascending order. */
  constructor(
    private readonly name: string,
    private readonly bounds: readonly number[],
  ) {
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.sum += value;
    this.count += 1;
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.counts[bucket]! += 1;
  }

  *lines(): Iterable<string> {
    let below = 0;
    for (const [index, bound] of this.bounds.entries()) {
      below += this.counts[index]!;
      yield `${this.name}_bucket{le="${bound}"} ${below}`;
    }
    yield `${this.name}_bucket{le="+Inf"} ${this.count}`;
    yield `${this.name}_sum ${this.sum}`;
    yield `${this.name}_count ${this.count}`;
  }
}

export class Registry {
  private readonly metrics: Metric[] = [];

  counter(name: string, help: string): Counter {
    const counter = new Counter(name);
    this.metrics.push({ name, help, type: 'counter', lines: () => counter.lines() });
    return counter;
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(name, bounds);
    this.metrics.push({ name, help, type: 'histogram', lines: () => histogram.lines() });
    return histogram;
  }

  /** Read on demand. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    this.measure('gauge', name, help, read);
  }

  /** A counter that is kept elsewhere. */
  counted(name: string, help: string, read: () => Reading | Promise<Reading>): void {
    this.measure('counter', name, help, read);
  }

  async text(): Promise<string> {
    let text = '';
    for (const { name, type, help, lines } of this.metrics) {
      text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
      for (const line of await lines()) text += `${line}\n`;
    }
    return text;
  }

  private measure(
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    read: () => Reading | Promise<Reading>,
  ): void {
    const lines = async () => {
      const reading = await read();
      if (typeof reading === 'number') return [`${name} ${reading}`];
      return Array.from(reading, ([labels, value]) => `${name}${textOf(labels)} ${value}`);
    };
    this.metrics.push({ name, type, help, lines });
  }
}

function textOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
