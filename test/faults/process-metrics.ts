import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessFigures } from '../checkers/evidence.ts';
import type { FaultCluster } from './fault-cluster.ts';
import type { ServiceSlot } from './service-slot.ts';

/** The figures of each running process, and the text of all their metrics. */
export interface ProcessReadings {
  readonly figures: readonly ProcessFigures[];
  readonly metrics: string;
}

/** After this time, a process has received the signal. It collects its garbage before it answers the next request. */
const signalMs = 200;

// A new connection each time, because the server may close an idle connection just when it is used again.
const fetchOnce = (url: string) => fetch(url, { headers: { connection: 'close' } });

async function fetchMetrics({ process: { opsUrl } }: ServiceSlot): Promise<string> {
  return (await fetchOnce(`${opsUrl}/metrics`)).text();
}

/** Returns the running processes. A scenario may have stopped the others. */
function listRunning({ pods, workers }: Pick<FaultCluster, 'pods' | 'workers'>): ServiceSlot[] {
  return [...pods, ...workers].filter(({ isRunning }) => isRunning);
}

/** Returns true if every running process is ready. */
export async function areAllReady(cluster: Pick<FaultCluster, 'pods' | 'workers'>): Promise<boolean> {
  const answers = await Promise.all(
    listRunning(cluster).map(({ process: { opsUrl } }) => fetchOnce(`${opsUrl}/readyz`)),
  );
  return answers.every(({ status }) => status === 200);
}

/** Returns the number of streams that are open on a pod. */
export async function countOpenStreams(pod: ServiceSlot): Promise<number> {
  return parseMetric(await fetchMetrics(pod), 'widget_streams_open') ?? 0;
}

/**
 * Returns the longest event-loop lag of a pod since the last call, in milliseconds: for so long it was unresponsive.
 */
export async function readMaxEventLoopLagMs(pod: ServiceSlot): Promise<number> {
  const seconds = parseMetric(await fetchMetrics(pod), 'nodejs_eventloop_lag_max_seconds');
  if (seconds === null) throw new Error(`the metrics of ${pod.name} do not contain the event-loop lag`);
  return seconds * 1_000;
}

/** Returns a function that reads every running process. It remembers the first heap size of each process. */
export function createProcessReader(cluster: Pick<FaultCluster, 'pods' | 'workers'>) {
  const firstHeaps = new Map<number, number>();

  async function readProcess(slot: ServiceSlot): Promise<{ figures: ProcessFigures; metrics: string }> {
    const { opsUrl, pid } = slot.process;
    process.kill(pid, 'SIGUSR2');
    await delay(signalMs);
    const { figures, metrics } = await readFigures({ name: slot.name, opsUrl, isApi: cluster.pods.includes(slot) });
    const heapUsedBytes = parseMetric(metrics, 'nodejs_heap_size_used_bytes');
    const heapAtFirstBytes = firstHeaps.get(pid) ?? heapUsedBytes;
    if (heapAtFirstBytes !== null) firstHeaps.set(pid, heapAtFirstBytes);
    return { figures: { ...figures, heapUsedBytes, heapAtFirstBytes }, metrics };
  }

  return async (): Promise<ProcessReadings> => {
    const readings = await Promise.all(listRunning(cluster).map(readProcess));
    return {
      figures: readings.map(({ figures }) => figures),
      metrics: readings.map(({ metrics }) => metrics).join('\n'),
    };
  };
}

/** Reads a process by HTTP. Its heap counts as not measured: its garbage was not collected before. */
export async function readFigures(one: { readonly name: string; readonly opsUrl: string; readonly isApi: boolean }) {
  const ready = await fetchOnce(`${one.opsUrl}/readyz`);
  const problems = ready.status === 200 ? '' : (await ready.text()).trim();
  const metrics = await (await fetchOnce(`${one.opsUrl}/metrics`)).text();
  const streamsOpen = one.isApi ? parseMetric(metrics, 'widget_streams_open') : null;
  const figures = { name: one.name, problems, streamsOpen, heapUsedBytes: null, heapAtFirstBytes: null };
  return { figures, metrics };
}

/** Returns the value of a metric without labels from Prometheus' text format, or null if it is missing. */
function parseMetric(metrics: string, name: string): number | null {
  const match = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics);
  return match === null ? null : Number(match[1]);
}
