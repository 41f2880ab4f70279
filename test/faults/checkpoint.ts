import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { compileFilter, toFilterKey } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import { allCheckers, type CheckerName } from '../checkers/all-checkers.ts';
import { collectEventHistory } from '../checkers/event-history.ts';
import { everyChangeIsAudited } from '../checkers/every-change-is-audited.ts';
import type { Allowances, Evidence } from '../checkers/evidence.ts';
import { type Load, type LoadOptions, openLoad } from '../drivers/cluster/load.ts';
import type { Outcome, RecordedStream } from '../drivers/cluster/recording.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { type CheckedDeployment, checkFaultCluster, makeTakeNew } from './checked-deployment.ts';
import { type FaultCluster, type FaultClusterOptions, openFaultCluster } from './fault-cluster.ts';
import { type FaultRow, formatFaultTable, saveFaultRows } from './fault-table.ts';
import { isAccepting } from './recording-queries.ts';
import type { StoredState } from './stored-state.ts';

const pollMs = 100;
/** The service asks streams to wait for 1 s to 15 s. At a checkpoint, each waits for the shortest time. */
const retryMaxMs = 1_000;

/**
 * Waits until the deployment is idle: queue and outboxes are empty, every stream is open and has received the last
 * event of its filter, and every process is ready. Returns the stored state. After `withinMs` it returns the state at
 * that time without an error. The checkers then report what is left.
 */
async function waitUntilIdle(
  { countJobs, countOutboxes, readStored, areAllReady }: CheckedDeployment,
  { streams, recording }: Pick<Load, 'streams' | 'recording'>,
  withinMs: number,
): Promise<StoredState> {
  const elapsedMs = startStopwatch();
  const isLate = () => elapsedMs() > withinMs;
  for (;;) {
    const [jobsLeft, outboxesLeft] = await Promise.all([countJobs(), countOutboxes()]);
    if ((jobsLeft === 0 && outboxesLeft === 0) || isLate()) {
      let stored = await readStored({ jobsLeft, outboxesLeft });
      // A pod repeats the write of an audit event once a second.
      while (everyChangeIsAudited({ recording, stored }).length > 0 && !isLate()) {
        await delay(pollMs);
        stored = await readStored({ jobsLeft, outboxesLeft });
      }
      const isAtEnd = createIsAtEnd(stored.log);
      const confirmed = recording.revocations.filter(({ isConfirmed }) => isConfirmed);
      const revoked = new Set(confirmed.map(({ subscriptionId }) => subscriptionId));
      const areAtEnd = () =>
        streams.every(
          ({ recorded, isOpen }) =>
            recorded.closedBy !== null || (isOpen && isAtEnd(recorded) && !revoked.has(recorded.subscriptionId)),
        );
      while (!(areAtEnd() && (await areAllReady())) && !isLate()) await delay(pollMs);
      return stored;
    }
    await delay(pollMs);
  }
}

/** Returns a function that says whether a stream has received the last event of the log that its filter selects. */
function createIsAtEnd(log: readonly LogRecord[]): (stream: RecordedStream) => boolean {
  const lastByFilter = new Map<string, LogRecord | undefined>();
  const findLast = ({ filter }: RecordedStream) => {
    const key = toFilterKey(filter);
    if (!lastByFilter.has(key)) {
      const passes = compileFilter(filter);
      lastByFilter.set(
        key,
        log.findLast(({ event }) => passes === null || passes(event)),
      );
    }
    return lastByFilter.get(key);
  };
  return (stream) => {
    const last = findLast(stream);
    const position = parsePosition(
      stream.connections.at(-1)?.blocks.findLast(({ position }) => position !== '')?.position ?? '',
    );
    return last === undefined || (position !== null && position.epoch === last.epoch && position.seq >= last.seq);
  };
}

interface CheckpointOptions extends Partial<Allowances> {
  /** How long the deployment may take until it accepts hooks, and until it is idle. */
  readonly withinMs?: number;
  /** Also searches the database and everything that Redis ever wrote for secrets. */
  readonly searchStores?: boolean;
  /** Does not start the load again. */
  readonly isLast?: boolean;
}

/** The checkpoints of one scenario on one running deployment. */
export interface Checkpoints {
  /**
   * Waits until hooks are accepted again, and half a second more. Then it stops the load, waits until the deployment is
   * idle, runs every checker over the whole recording, and starts the load again. Asserts that none found a new
   * violation. The row counts only what is new since the last checkpoint. Streams that have ended reconnect early.
   */
  take(fault: string, options?: CheckpointOptions): Promise<FaultRow>;
  /** Prints the table of all rows, and saves it for the table of all scenarios. */
  report(): Promise<void>;
}

/** More than the 15 s within which another worker finishes a killed worker's job. */
const defaultWithinMs = 30_000;
/** After a fault, the load goes on for this time. */
const loadAfterMs = 500;
/** How many violations the message of a failed test quotes. */
const quotedMax = 5;

export function createCheckpoints(scenario: string, deployment: CheckedDeployment, load: Load): Checkpoints {
  const takeNew = makeTakeNew();
  const rows: FaultRow[] = [];
  const reported = new Set<string>();
  let before: Counts = { ok: 0, refused: 0, unknown: 0, reconnections: 0, events: 0, eventsReceived: 0 };

  async function gatherEvidence(options: CheckpointOptions): Promise<Evidence> {
    const stored = await waitUntilIdle(deployment, load, options.withinMs ?? defaultWithinMs);
    const { figures, metrics } = await deployment.readProcesses();
    const { hooks, creates } = load.recording;
    const problems = [...takeNew(hooks), ...takeNew(creates)].flatMap(({ refusal }) => refusal?.body ?? []);
    return {
      recording: load.recording,
      stored,
      texts: {
        ...(await deployment.readNewLogs()),
        ...{ 'problem bodies': problems.join('\n'), metrics },
        ...(options.searchStores ? await deployment.dumpStores() : {}),
      },
      secrets: load.listSecrets(),
      processes: figures,
      clientsOpen: load.streams.filter(({ isOpen }) => isOpen).length,
      allowed: {
        gaps: options.gaps ?? false,
        ...(options.lostQueue === undefined ? {} : { lostQueue: options.lostQueue }),
        staleMs: options.staleMs ?? 0,
      },
    };
  }

  return {
    take: async (fault, options = {}) => {
      const sinceMs = performance.now();
      const areAccepted = async () => isAccepting(load.recording, sinceMs);
      await eventually(areAccepted, 'hooks are accepted', options.withinMs ?? defaultWithinMs);
      await delay(loadAfterMs);
      await load.pause();
      const pausedAtMs = performance.now();
      for (const stream of load.streams) stream.limitRetry(retryMaxMs);
      const evidence = await gatherEvidence(options);
      const idleAfterMs = performance.now() - pausedAtMs;
      const results: (readonly [CheckerName, readonly string[]])[] = [];
      for (const [name, check] of Object.entries(allCheckers)) {
        // This process also runs the links of a cluster and reads streams. They must not wait for all checkers.
        await yieldToEventLoop();
        const newViolations = check(evidence).filter((violation) => !reported.has(violation));
        for (const violation of newViolations) reported.add(violation);
        results.push([name as CheckerName, newViolations]);
      }
      const counts = countEvidence(evidence);
      const violations = Object.fromEntries(results.map(([name, { length }]) => [name, length]));
      const row = { ...buildRow(fault, counts, before, evidence), idleAfterMs, violations } as FaultRow;
      before = counts;
      rows.push(row);
      for (const stream of load.streams) stream.limitRetry(Number.POSITIVE_INFINITY);
      if (options.isLast !== true) load.start();
      const described = results.flatMap(([name, newOnes]) => newOnes.map((violation) => `${name}: ${violation}`));
      expect(described, described.slice(0, quotedMax).join('; ')).toEqual([]);
      return row;
    },
    report: async () => {
      console.log(`\n${scenario}\n${formatFaultTable(rows)}\n`);
      await saveFaultRows(scenario, rows);
    },
  };
}

type Counts = Readonly<Record<Outcome | 'reconnections' | 'events' | 'eventsReceived', number>>;

function countEvidence(evidence: Evidence): Counts {
  const { hooks, creates, streams } = evidence.recording;
  const outcomes = { ok: 0, refused: 0, unknown: 0 };
  for (const { outcome } of [...hooks, ...creates]) outcomes[outcome] += 1;
  const connections = streams.flatMap((stream) => stream.connections);
  const eventsReceived = connections.reduce(
    (sum, { blocks }) => sum + blocks.filter(({ type }) => type === 'event').length,
    0,
  );
  const events = [...collectEventHistory(evidence).epochs.values()].reduce((sum, { length }) => sum + length, 0);
  // A stream without any answer yet has no connection, and so no reconnection.
  const reconnections = streams.reduce((sum, stream) => sum + Math.max(0, stream.connections.length - 1), 0);
  return { ...outcomes, reconnections, events, eventsReceived };
}

function buildRow(fault: string, counts: Counts, before: Counts, { clientsOpen, processes }: Evidence) {
  const { ok, refused, unknown } = counts;
  return {
    fault,
    operations: { ok: ok - before.ok, refused: refused - before.refused, unknown: unknown - before.unknown },
    streams: clientsOpen,
    reconnections: counts.reconnections - before.reconnections,
    events: counts.events - before.events,
    eventsReceived: counts.eventsReceived - before.eventsReceived,
    heapGrowth: Math.max(
      ...processes.map(({ heapUsedBytes, heapAtFirstBytes }) => (heapUsedBytes ?? 1) / (heapAtFirstBytes ?? 1)),
    ),
  };
}

/** A cluster under load, which checkpoints judge after each fault. */
export interface FaultRun {
  readonly cluster: FaultCluster;
  readonly load: Load;
  readonly checkpoints: Checkpoints;
}

/**
 * Opens a cluster and a load for the tests of this block, and calls `onOpen` when the load has run for a second. After
 * the tests it prints the table of the faults, and closes everything.
 */
export function useFaultRun(
  scenario: string,
  options: FaultClusterOptions & LoadOptions,
  onOpen: (run: FaultRun) => void,
): void {
  const cleanups: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const cluster = await openFaultCluster(options);
    cleanups.push(cluster.dispose);
    const load = await openLoad(cluster, options);
    cleanups.push(load.close);
    const checkpoints = createCheckpoints(scenario, checkFaultCluster(cluster), load);
    cleanups.push(checkpoints.report);
    load.start();
    await delay(1_000);
    onOpen({ cluster, load, checkpoints });
  });
  afterAll(async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  });
}
