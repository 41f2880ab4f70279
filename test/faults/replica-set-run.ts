import { setTimeout as delay } from 'node:timers/promises';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import { expect } from 'vitest';
import type { HookOperation, Recording } from '../drivers/cluster/recording.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import type { FaultRun } from './checkpoint.ts';
import { expectMongoFailover } from './expect-outage.ts';
import type { FaultCluster } from './fault-cluster.ts';
import { excludeStarved, selectCreates, selectHooks } from './recording-queries.ts';
import type { FaultParts, ReplicaSetFault } from './replica-set-faults.ts';
import { isLong } from './scale.ts';

/** The load before each fault. */
const loadMs = 700;
const pollMs = 200;
/** A long run has an election after which the state of 1 s before is shown for 0.6 s. The election takes 0.5 s. */
const staleMs = isLong ? 2_100 : 0;

/**
 * Brings the fault under load, takes a checkpoint, and asserts what holds meanwhile. `onRow` gets a row of the table.
 */
export async function runReplicaSetFault(
  { load, checkpoints }: Pick<FaultRun, 'load' | 'checkpoints'>,
  parts: FaultParts,
  fault: ReplicaSetFault,
  onRow: (cells: readonly string[]) => void,
): Promise<void> {
  const { times, recoversWithinMs, stopsWorkers, isDouble } = fault;
  const fromMs = performance.now();
  const readiness = watchReadiness(parts.cluster);
  const bringOnce = async () => {
    await delay(loadMs);
    const startedAtMs = Date.now();
    await fault.bring(parts);
    const endedAtMs = fault.electedAfterMs === undefined ? Date.now() : startedAtMs + fault.electedAfterMs;
    const findNext = () => listEventTimes(load.recording, endedAtMs)[0];
    await eventually(async () => findNext() !== undefined, 'an event comes after the fault', recoversWithinMs);
    await parts.set.mend();
    return { startedAtMs, endedAtMs, recoveredMs: (findNext() ?? 0) - endedAtMs };
  };
  const brought: Awaited<ReturnType<typeof bringOnce>>[] = [];
  let silentMs = 0;
  try {
    while (brought.length < times) brought.push(await bringOnce());
    silentMs = findLongestSilence(load.recording, brought[0]?.startedAtMs ?? 0);
    await checkpoints.take(fault.name, { withinMs: 60_000, staleMs });
  } finally {
    await readiness.close();
  }
  const range = { fromMs, toMs: performance.now() };
  const [hooks, creates] = [selectHooks(load.recording, range), selectCreates(load.recording, range)];
  const recoveredMs = Math.max(...brought.map((each) => each.recoveredMs));
  const latencies = excludeStarved([...hooks, ...creates]).map(({ latencyMs }) => latencyMs);
  onRow([
    `${fault.name}${times > 1 ? ` (${times})` : ''}`,
    ...[silentMs, recoveredMs, Math.max(...latencies)].map((ms) => `${(ms / 1_000).toFixed(1)} s`),
    ...[creates, hooks].map(formatRefused),
    [...readiness.unready.keys()].sort().join(' '),
  ]);
  const faultMs = Math.max(...brought.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs));
  expect.soft(silentMs, 'no event for').toBeLessThanOrEqual(fault.silentMaxMs ?? faultMs + recoversWithinMs);
  if (!isDouble) {
    expectMongoFailover(load.recording, range);
    const unready = [...readiness.unready].map(([name, reason]) => `${name}: ${reason}`);
    expect.soft(unready.filter((text) => text.startsWith('pod'))).toEqual([]);
    const areWorkersStopped = unready.some((text) => text.startsWith('worker'));
    if (stopsWorkers !== null) expect.soft(areWorkersStopped, `not ready: ${unready.join('; ')}`).toBe(stopsWorkers);
  }
}

export const replicaSetColumns = [
  'no event for',
  'recovery',
  'slowest answer',
  'creates 503',
  'hooks 503',
  'not ready',
];

const formatRefused = (operations: readonly Pick<HookOperation, 'status'>[]) =>
  `${operations.filter(({ status }) => status === 503).length}/${operations.length}`;

/** Lists when events since then were appended, on the wall clock. The first stream gets every event. */
function listEventTimes({ streams }: Recording, sinceMs: number): number[] {
  const blocks = streams[0]?.connections.flatMap((connection) => connection.blocks) ?? [];
  const times: number[] = [];
  for (const { type, position } of blocks.toReversed()) {
    if (type !== 'event') continue;
    const { ms = 0 } = parsePosition(position) ?? {};
    if (ms < sinceMs) break;
    times.unshift(ms);
  }
  return times;
}

function findLongestSilence(recording: Recording, sinceMs: number): number {
  const times = [sinceMs, ...listEventTimes(recording, sinceMs)];
  return Math.max(0, ...times.slice(1).map((ms, index) => ms - (times[index] ?? ms)));
}

/** Collects which processes are not ready, and why, until it is closed. */
function watchReadiness({ pods, workers }: FaultCluster) {
  const unready = new Map<string, string>();
  let isClosed = false;
  const watch = async () => {
    while (!isClosed) {
      for (const { name, process } of [...pods, ...workers]) {
        const answer = await fetch(`${process.opsUrl}/readyz`).catch(() => null);
        if (answer?.status === 503) unready.set(name, (await answer.text()).trim());
      }
      await delay(pollMs);
    }
  };
  const ended = watch();
  return {
    unready: unready as ReadonlyMap<string, string>,
    close: () => {
      isClosed = true;
      return ended;
    },
  };
}
