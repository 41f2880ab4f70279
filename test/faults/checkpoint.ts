import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { allCheckers, type CheckerName } from '../checkers/all-checkers.ts';
import type { Allowances, Evidence } from '../checkers/evidence.ts';
import { historyOf } from '../checkers/history.ts';
import type { Load } from '../drivers/load.ts';
import type { Outcome } from '../drivers/recording.ts';
import type { FaultCluster } from './fault-cluster.ts';
import { type FaultRow, formatFaultTable, saveFaultRows } from './fault-table.ts';
import { createProcessFigures } from './process-figures.ts';
import { comeToRest } from './wait-until-idle.ts';

interface CheckpointOptions extends Partial<Allowances> {
  /** How long it may take until all has come to rest. */
  readonly withinMs?: number;
  /** Looks for secrets also in everything that the stores hold and Redis has ever written. */
  readonly searchStores?: boolean;
  /** Leaves the load stopped. */
  readonly isLast?: boolean;
}

/** The checkpoints of one scenario on one running cluster. */
export interface Checkpoints {
  /**
   * Stops the load, waits until all has come to rest, runs every checker over all that was recorded so far, and starts
   * the load again. A row counts what is new since the checkpoint before; `violations` names the new ones.
   */
  take(fault: string, options?: CheckpointOptions): Promise<{ row: FaultRow; violations: string[] }>;
  /** Prints the table of all rows, and keeps it for the table of all scenarios. */
  report(): Promise<void>;
}

/** Above the 15 s within which a killed worker's job is done. */
const defaultWithinMs = 30_000;
/** Violations told of in words. */
const toldMax = 5;

export function createCheckpoints(scenario: string, cluster: FaultCluster, load: Load): Checkpoints {
  const lookAtProcesses = createProcessFigures(cluster);
  const toldSince = createToldSince(cluster, load);
  const rows: FaultRow[] = [];
  const known = new Set<string>();
  let before: Counts = { ok: 0, refused: 0, unknown: 0, reconnections: 0, events: 0, deliveries: 0 };

  async function gather(options: CheckpointOptions): Promise<Evidence> {
    const stored = await comeToRest(cluster, load, options.withinMs ?? defaultWithinMs);
    const { figures, metrics } = await lookAtProcesses();
    return {
      recording: load.recording,
      stored,
      texts: { ...toldSince(), metrics, ...(options.searchStores ? await dumpStores(cluster) : {}) },
      secrets: load.secrets(),
      processes: figures,
      clientsOpen: load.streams.filter(({ isOpen }) => isOpen).length,
      allowed: {
        gaps: options.gaps ?? false,
        ...(options.lostQueue === undefined ? {} : { lostQueue: options.lostQueue }),
      },
    };
  }

  return {
    take: async (fault, options = {}) => {
      await load.pause();
      const pausedAtMs = performance.now();
      const evidence = await gather(options);
      const restedAfterMs = performance.now() - pausedAtMs;
      const found: (readonly [CheckerName, readonly string[]])[] = [];
      for (const [name, check] of Object.entries(allCheckers)) {
        // This process also has the links of the cluster, and streams to read: all of them at once would hold these up.
        await nextTurn();
        const fresh = check(evidence).filter((violation) => !known.has(violation));
        for (const violation of fresh) known.add(violation);
        found.push([name as CheckerName, fresh]);
      }
      const counts = countsOf(evidence);
      const violations = Object.fromEntries(found.map(([name, { length }]) => [name, length]));
      const row = { ...rowOf(fault, counts, before, evidence), restedAfterMs, violations } as FaultRow;
      before = counts;
      rows.push(row);
      if (options.isLast !== true) load.start();
      return { row, violations: found.flatMap(([name, fresh]) => fresh.map((violation) => `${name}: ${violation}`)) };
    },
    report: async () => {
      console.log(`\n${scenario}\n${formatFaultTable(rows)}\n`);
      await saveFaultRows(scenario, rows);
    },
  };
}

/** Fails with what they say, and not only with how many there are. */
export function expectNone(violations: readonly string[]): void {
  expect(violations, violations.slice(0, toldMax).join('; ')).toEqual([]);
}

type Counts = Readonly<Record<Outcome | 'reconnections' | 'events' | 'deliveries', number>>;

function countsOf(evidence: Evidence): Counts {
  const { hooks, creates, streams } = evidence.recording;
  const outcomes = { ok: 0, refused: 0, unknown: 0 };
  for (const { outcome } of [...hooks, ...creates]) outcomes[outcome] += 1;
  const connections = streams.flatMap((stream) => stream.connections);
  const deliveries = connections.reduce(
    (sum, { blocks }) => sum + blocks.filter(({ type }) => type === 'event').length,
    0,
  );
  const events = [...historyOf(evidence).epochs.values()].reduce((sum, { length }) => sum + length, 0);
  // One that has no answer yet has not come back either.
  const reconnections = streams.reduce((sum, stream) => sum + Math.max(0, stream.connections.length - 1), 0);
  return { ...outcomes, reconnections, events, deliveries };
}

function rowOf(fault: string, counts: Counts, before: Counts, { clientsOpen, processes }: Evidence) {
  const { ok, refused, unknown } = counts;
  return {
    fault,
    operations: { ok: ok - before.ok, refused: refused - before.refused, unknown: unknown - before.unknown },
    streams: clientsOpen,
    reconnections: counts.reconnections - before.reconnections,
    events: counts.events - before.events,
    deliveries: counts.deliveries - before.deliveries,
    heapGrowth: Math.max(...processes.map((each) => (each.heapUsedBytes ?? 1) / (each.heapAtFirstBytes ?? 1))),
  };
}

/** What was logged, printed and answered since the last time. */
function createToldSince({ pods, workers }: FaultCluster, { recording }: Load): () => Record<string, string> {
  const read = new Map<object, number>();
  const rest = <Item>(items: readonly Item[]) => {
    const fresh = items.slice(read.get(items));
    read.set(items, items.length);
    return fresh;
  };
  return () => {
    const processes = [...pods, ...workers].flatMap(({ all }) => all);
    const operations = [...rest(recording.hooks), ...rest(recording.creates)];
    return {
      logs: processes.map(({ lines }) => JSON.stringify(rest(lines))).join('\n'),
      output: processes.map(({ output }) => output()).join('\n'),
      'problem bodies': operations.flatMap(({ refusal }) => refusal?.body ?? []).join('\n'),
    };
  };
}

async function dumpStores({ run, redis }: FaultCluster): Promise<Record<string, string>> {
  return { database: await run.dumpDatabase(), 'everything ever written to Redis': await redis.everythingWritten() };
}
