import { Counter, Gauge, type Metric, type Registry } from 'prom-client';

type LabelValues<Label extends string> = Readonly<Record<Label, string | number>>;

/** An observation of a sampled trace, as an example of its bucket. */
interface Exemplar {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** When it was observed, in seconds since the Unix epoch. */
  readonly timestamp: number;
}

/** One value of the exposition, as prom-client's registry expects it from a metric. */
interface ExposedValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Only OpenMetrics shows it. */
  readonly exemplar?: Exemplar | undefined;
}

/**
 * A histogram for prom-client's registry. It exposes the same text as prom-client's own histogram, but an observation
 * costs two additions: prom-client validates and hashes the labels of each one, which is a tenth of the processor time
 * of accepting a hook.
 */
export class Histogram<Label extends string = never> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly buckets: readonly number[];
  readonly #seriesByKey = new Map<string, HistogramSeries>();

  /** `buckets`: upper bounds, rising, without infinity. */
  constructor(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly Label[],
    registers: readonly Registry[],
  ) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.buckets = buckets;
    if (labelNames.length === 0) this.labels({} as LabelValues<Label>);
    // Of a metric, the registry uses the name and `get` only. Its type lists prom-client's own classes.
    for (const registry of registers) registry.registerMetric(this as unknown as Metric);
  }

  /** Returns the series with these label values. Creates it at 0 if there is none. Keep it where speed matters. */
  labels(values: LabelValues<Label>): HistogramSeries {
    const key = JSON.stringify(this.labelNames.map((label) => String(values[label])));
    const known = this.#seriesByKey.get(key);
    if (known !== undefined) return known;
    const series = new HistogramSeries(values, this.buckets);
    this.#seriesByKey.set(key, series);
    return series;
  }

  /** Called by the registry at each scrape. */
  async get() {
    const { name, help, type, aggregator } = this;
    return {
      name,
      help,
      type,
      aggregator,
      values: [...this.#seriesByKey.values()].flatMap((each) => each.expose(name)),
    };
  }
}

/** The observations with one set of label values. */
export class HistogramSeries {
  readonly #labels: Readonly<Record<string, string | number>>;
  readonly #bounds: readonly number[];
  /** Observations per bucket, not cumulative. The last bucket has no upper bound. */
  readonly #counts: Float64Array;
  #sum = 0;
  /** The latest exemplar of each bucket. Null before the first one. */
  #exemplars: (Exemplar | undefined)[] | null = null;

  constructor(labels: Readonly<Record<string, string | number>>, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** `traceId` is that of a sampled trace, if the observation belongs to one. */
  observe(value: number, traceId?: string): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
    if (traceId === undefined) return;
    this.#exemplars ??= [];
    this.#exemplars[bucket] = { labelSet: { trace_id: traceId }, value, timestamp: Date.now() / 1_000 };
  }

  /** Returns the observations since the start per bucket, not cumulative. The last bucket has no upper bound. */
  readCounts(): number[] {
    return [...this.#counts];
  }

  expose(name: string): ExposedValue[] {
    const labels = this.#labels;
    let count = 0;
    const buckets = [...this.#bounds, '+Inf'].map((le, bucket) => {
      count += this.#counts[bucket] as number;
      const exemplar = this.#exemplars?.[bucket];
      const value = { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
      return exemplar === undefined ? value : { ...value, exemplar };
    });
    const sum = { metricName: `${name}_sum`, labels, value: this.#sum };
    return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }];
  }
}

/** Upper bounds of histogram buckets, in seconds, for a request. */
export const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** In seconds, for a store call. Few, because each of some 80 operations has a histogram of its own. */
export const callBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/** In seconds, for delays that are usually short, and last minutes or hours when a part of the service is down. */
export const delayBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];

/** For numbers of items: up to the most that one job may hold. */
export const itemBuckets = [1, 4, 16, 64, 256, 1_024];

/** The three kinds of metrics, each in these registries. */
export function declareIn(registers: Registry[]) {
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: readonly number[],
      labelNames: Label[] = [],
    ) => new Histogram(name, help, buckets, labelNames, registers),
  };
}
