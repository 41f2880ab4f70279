import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessFigures } from '../checkers/evidence.ts';
import type { FaultCluster } from './fault-cluster.ts';
import type { ServiceSlot } from './service-slot.ts';

/** What is looked at of each process that runs, and its metrics as they are. */
export interface LookedAt {
  readonly figures: readonly ProcessFigures[];
  readonly metrics: string;
}

/** The signal is on its way; what is asked after it is answered after it was obeyed. */
const signalMs = 200;

// Its own connection each time: one that was kept may be closed by the server in the moment it is used.
const ask = (url: string) => fetch(url, { headers: { connection: 'close' } });

async function metricsOf({ process: { opsUrl } }: ServiceSlot): Promise<string> {
  return (await ask(`${opsUrl}/metrics`)).text();
}

/** The processes that run: a scenario may have stopped some. */
function runningOf({ pods, workers }: Pick<FaultCluster, 'pods' | 'workers'>): ServiceSlot[] {
  return [...pods, ...workers].filter(({ isRunning }) => isRunning);
}

/** Whether every process that runs is ready. */
export async function areReady(cluster: Pick<FaultCluster, 'pods' | 'workers'>): Promise<boolean> {
  const verdicts = await Promise.all(runningOf(cluster).map(({ process: { opsUrl } }) => ask(`${opsUrl}/readyz`)));
  return verdicts.every(({ status }) => status === 200);
}

/** How many streams a pod holds. */
export async function streamsOpenOn(pod: ServiceSlot): Promise<number> {
  return figureOf(await metricsOf(pod), 'widget_streams_open') ?? 0;
}

/** The longest time, in milliseconds, for which a pod could do nothing else since it was asked last. */
export async function longestTurnMsOf(pod: ServiceSlot): Promise<number> {
  const seconds = figureOf(await metricsOf(pod), 'nodejs_eventloop_lag_max_seconds');
  if (seconds === null) throw new Error(`${pod.name} does not tell its event loop's lag`);
  return seconds * 1_000;
}

/** Looks at every running process, remembering of each what its heap was at first. */
export function createProcessFigures(cluster: Pick<FaultCluster, 'pods' | 'workers'>) {
  const firstHeaps = new Map<number, number>();

  async function lookAt(slot: ServiceSlot): Promise<{ figures: ProcessFigures; metrics: string }> {
    const { opsUrl, pid } = slot.process;
    const ready = await ask(`${opsUrl}/readyz`);
    const problems = ready.status === 200 ? '' : (await ready.text()).trim();
    process.kill(pid, 'SIGUSR2');
    await delay(signalMs);
    const metrics = await metricsOf(slot);
    const heapUsedBytes = figureOf(metrics, 'nodejs_heap_size_used_bytes');
    const heapAtFirstBytes = firstHeaps.get(pid) ?? heapUsedBytes;
    if (heapAtFirstBytes !== null) firstHeaps.set(pid, heapAtFirstBytes);
    const streamsOpen = cluster.pods.includes(slot) ? figureOf(metrics, 'widget_streams_open') : null;
    return { figures: { name: slot.name, problems, streamsOpen, heapUsedBytes, heapAtFirstBytes }, metrics };
  }

  return async (): Promise<LookedAt> => {
    const looked = await Promise.all(runningOf(cluster).map(lookAt));
    return { figures: looked.map(({ figures }) => figures), metrics: looked.map(({ metrics }) => metrics).join('\n') };
  };
}

/** Of a metric without labels, in Prometheus' text format. */
function figureOf(metrics: string, name: string): number | null {
  const match = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics);
  return match === null ? null : Number(match[1]);
}
