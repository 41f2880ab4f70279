import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect } from 'vitest';
import { allCheckers, type CheckerName } from '../checkers/all-checkers.ts';
import { collectEventHistory } from '../checkers/event-history.ts';
import type { Allowances, Evidence } from '../checkers/evidence.ts';
import type { Load } from '../drivers/cluster/load.ts';
import type { Outcome } from '../drivers/cluster/recording.ts';
import { type CheckedDeployment, makeTakeNew } from './checked-deployment.ts';
import { type FaultRow, formatFaultTable, saveFaultRows } from './fault-table.ts';
import { waitUntilIdle } from './wait-until-idle.ts';

interface CheckpointOptions extends Partial<Allowances> {
  /** How long the deployment may take until it is idle. */
  readonly withinMs?: number;
  /** Also searches the database and everything that Redis ever wrote for secrets. */
  readonly searchStores?: boolean;
  /** Does not start the load again. */
  readonly isLast?: boolean;
}

/** The checkpoints of one scenario on one running deployment. */
export interface Checkpoints {
  /**
   * Stops the load, waits until the deployment is idle, runs every checker over the whole recording, and starts the
   * load again. The row counts only what is new since the last checkpoint; `violations` lists only new violations.
   */
  take(fault: string, options?: CheckpointOptions): Promise<{ row: FaultRow; violations: string[] }>;
  /** Prints the table of all rows, and saves it for the table of all scenarios. */
  report(): Promise<void>;
}

/** More than the 15 s within which another worker finishes a killed worker's job. */
const defaultWithinMs = 30_000;
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
      },
    };
  }

  return {
    take: async (fault, options = {}) => {
      await load.pause();
      const pausedAtMs = performance.now();
      const evidence = await gatherEvidence(options);
      const idleAfterMs = performance.now() - pausedAtMs;
      const results: (readonly [CheckerName, readonly string[]])[] = [];
      for (const [name, check] of Object.entries(allCheckers)) {
        // This process also runs the links of a cluster and reads streams. They must not wait for all ten checkers.
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
      if (options.isLast !== true) load.start();
      const described = results.flatMap(([name, newOnes]) => newOnes.map((violation) => `${name}: ${violation}`));
      return { row, violations: described };
    },
    report: async () => {
      console.log(`\n${scenario}\n${formatFaultTable(rows)}\n`);
      await saveFaultRows(scenario, rows);
    },
  };
}

/** Asserts that there are no violations. The message quotes the first of them. */
export function expectNoViolations(violations: readonly string[]): void {
  expect(violations, violations.slice(0, quotedMax).join('; ')).toEqual([]);
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
