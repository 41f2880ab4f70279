import { counter, gauge, type SeriesValues } from './healthy-series.ts';

/** A fault as Prometheus sees it. It begins after 20 intervals. Before it, and after it, the service is healthy. */
export interface AlertCase {
  readonly fault: string;
  /** Minutes per interval. */
  readonly interval: number;
  /** The series that differ from those of a healthy service. */
  readonly series: SeriesValues;
  /** The minute at which exactly `firing` fires: `alert severity`. */
  readonly firesAt: number;
  readonly firing: readonly string[];
  /** The minute at which no alert fires any more. */
  readonly clearsAt: number;
}

/** The value of a gauge whose store does not answer. */
export const unknown = Number.NaN;
export const after = 400;
export const whileFault = (healthy: number, faulty: number, intervals: number) =>
  gauge([healthy, 20], [faulty, intervals], [healthy, after]);
export const risesWhileFault = (perInterval: number, intervals: number, healthyRate = 0) =>
  counter([healthyRate, 20], [perInterval, intervals], [healthyRate, after]);
export const other = (labels: string) => labels.replace('-0"', '-1"');
/** A member for each of both pods or workers. */
export const both = (labels: string, toSeries: (labels: string) => SeriesValues): SeriesValues => ({
  ...toSeries(labels),
  ...toSeries(other(labels)),
});
