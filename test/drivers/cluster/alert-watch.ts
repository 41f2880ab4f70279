import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../tools/eventually.ts';
import type { Alert, PrometheusProcess } from './prometheus-process.ts';

/** An alert that a fault must cause: its name, severity, and further labels where the name alone is not enough. */
export type ExpectedAlert = readonly [name: string, severity: string, labels?: Readonly<Record<string, string>>];

/** A fault that a scenario injects. */
export interface AlertFault {
  readonly fault: string;
  /** The alerts that must fire before the fault is mended. */
  readonly alerts: readonly ExpectedAlert[];
  cause(): Promise<void>;
  mend(): Promise<void>;
}

interface Period {
  readonly alert: Alert;
  readonly fromMs: number;
  /** When the alert no longer fired; null while it fires. */
  toMs: number | null;
}

interface FaultResult {
  readonly fault: string;
  readonly alert: string;
  readonly firedAfterMs: number;
  /** From the mend on; null if it still fires. */
  readonly clearedAfterMs: number | null;
}

const pollMs = 250;
const firesWithinMs = 45_000;

/** Records when each alert fires. */
export function watchAlerts(prometheus: Pick<PrometheusProcess, 'listAlerts'>) {
  const periods: Period[] = [];
  const stopping = new AbortController();
  const toKey = ({ labels }: Alert) => JSON.stringify(Object.entries(labels).toSorted());

  async function poll(): Promise<void> {
    const firing = (await prometheus.listAlerts()).filter(({ state }) => state === 'firing');
    const nowMs = performance.now();
    const keys = new Set(firing.map(toKey));
    for (const period of periods) if (period.toMs === null && !keys.has(toKey(period.alert))) period.toMs = nowMs;
    const open = new Set(periods.filter(({ toMs }) => toMs === null).map(({ alert }) => toKey(alert)));
    for (const alert of firing) if (!open.has(toKey(alert))) periods.push({ alert, fromMs: nowMs, toMs: null });
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await poll();
      await delay(pollMs);
    }
  })();

  function select([name, severity, labels = {}]: ExpectedAlert): Period[] {
    const wanted = Object.entries({ ...labels, alertname: name, severity });
    return periods.filter(({ alert }) => wanted.every(([label, value]) => alert.labels[label] === value));
  }

  /** The alerts of a fault, with the times of its begin and its mend. */
  const faults: { fault: string; expected: readonly ExpectedAlert[]; fromMs: number; mendedMs: number }[] = [];
  const overlaps = (expected: ExpectedAlert, fromMs: number) =>
    select(expected).filter(({ toMs }) => toMs === null || toMs > fromMs);

  return {
    /** Causes a fault, waits until every expected alert fires, and mends it. */
    async inject({ fault, alerts: expected, cause, mend }: AlertFault): Promise<void> {
      const fromMs = performance.now();
      await cause();
      for (const alert of expected) {
        const what = `${alert[0]} (${alert[1]}) fires for: ${fault}`;
        await eventually(async () => overlaps(alert, fromMs).length > 0, what, firesWithinMs);
      }
      await mend();
      faults.push({ fault, expected, fromMs, mendedMs: performance.now() });
    },
    /** Resolves when none of these alerts fires. */
    waitUntilClear: (expected: readonly ExpectedAlert[], withinMs: number) =>
      eventually(
        async () => expected.every((alert) => select(alert).every(({ toMs }) => toMs !== null)),
        `these alerts clear: ${expected.map(([name, severity]) => `${name} ${severity}`).join(', ')}`,
        withinMs,
      ),
    listResults: (): FaultResult[] =>
      faults.flatMap(({ fault, expected, fromMs, mendedMs }) =>
        expected.map((alert) => {
          const found = overlaps(alert, fromMs);
          // Only what fires at the mend: a later fault may fire the same alert again.
          const ends = found.filter((period) => period.fromMs <= mendedMs).map(({ toMs }) => toMs);
          const last = ends.includes(null) ? null : Math.max(mendedMs, ...ends.map(Number));
          return {
            fault,
            alert: `${alert[0]} ${alert[1]}`,
            firedAfterMs: Math.max(0, Math.min(...found.map((period) => period.fromMs)) - fromMs),
            clearedAfterMs: last === null ? null : last - mendedMs,
          };
        }),
      ),
    /** All alerts that fired. */
    listFired: (): Alert[] => periods.map(({ alert }) => alert),
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

export type AlertWatch = ReturnType<typeof watchAlerts>;
