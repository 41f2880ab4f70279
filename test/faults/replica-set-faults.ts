import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FaultCluster } from './fault-cluster.ts';
import type { ReplicaSet } from './replica-set.ts';

/** What a fault happens to. `mongodbUrl` leads to the set, and names the database of the cluster. */
export interface FaultParts {
  readonly set: ReplicaSet;
  readonly cluster: FaultCluster;
  readonly mongodbUrl: string;
}

type Bring = (parts: FaultParts) => Promise<unknown>;
type Options = Readonly<Record<string, unknown>>;

/** A fault of a replica set, and what the service may do meanwhile. */
export interface ReplicaSetFault {
  readonly name: string;
  /** How often it happens before a checkpoint. */
  readonly times: number;
  /** Resolves when the fault is over. */
  readonly bring: Bring;
  /** There is a new primary this long after the fault began, although the fault goes on. */
  readonly electedAfterMs?: number;
  /** Whether workers are not ready meanwhile. Null: the fault is about as long as they wait. */
  readonly stopsWorkers: boolean | null;
  /** How long no event may come after the fault, or in all. */
  readonly recoversWithinMs: number;
  readonly silentMaxMs?: number;
  /** Something else than MongoDB is disturbed, too: hooks may be refused, and streams may end. */
  readonly isDouble: boolean;
}

function define(name: string, times: number, bring: Bring, more: Partial<ReplicaSetFault> = {}): ReplicaSetFault {
  return { name, times, bring, stopsWorkers: false, recoversWithinMs: 10_000, isDouble: false, ...more };
}

/** Describes a fault that the set brings in one call. A worker is not ready when MongoDB was away for 10 s. */
function row(name: string, times: number, fault: string, options: Options): ReplicaSetFault {
  const { ms = 0, gapMs = 0, electAfterMs = ms } = options as Readonly<Record<string, number>>;
  const awayMs = Math.max(ms, gapMs);
  const stopsWorkers = awayMs > 23_000 ? true : awayMs > 8_000 ? null : false;
  const electedAfterMs = { isolate: ms + 500, hang: electAfterMs }[fault];
  const more = electedAfterMs === undefined ? {} : { electedAfterMs };
  const bring: Bring = ({ set }) => set.bring(fault, { windowMs: 200, restartMs: 1_000, ...options });
  return define(name, times, bring, { stopsWorkers, ...more });
}

const lag = (lagMs: number, ms: number): ReplicaSetFault => {
  const bring: Bring = async ({ set }) => {
    await set.bring('lag', { lagMs });
    await delay(ms);
    await set.bring('lag', { lagMs: 0 });
  };
  const name = `replication ${lagMs / 1_000} s late for ${ms / 1_000} s`;
  return define(name, 1, bring, { stopsWorkers: lagMs > 2_000 ? null : false, silentMaxMs: 5_000 + 10 * lagMs });
};

const dataCommands = ['insert', 'update', 'findAndModify', 'delete', 'find', 'aggregate'];
/** A share `p` of the calls meets each of these rules in turn, for `forMs`. */
const burst = (name: string, forMs: number, p: number, ...rules: readonly Options[]): ReplicaSetFault =>
  define(`${p * 100} % of the calls: ${name}`, 1, async ({ set }) => {
    for (const rule of rules) {
      await set.disturb(dataCommands, null, { p, forMs, ...rule });
      await delay(forMs);
    }
  });
const before = (...codes: number[]) => codes.map((code) => ({ when: 'before', code }));
const after = (...codes: number[]) => codes.map((code) => ({ when: 'after', code }));
const confirmedBy = (...codes: number[]) => codes.map((wce) => ({ when: 'after', wce }));
const resetAfter = { when: 'after', reset: true };
const byHalf = { when: 'partial', kind: 'partial' };

/** A crash, and something else at the same time. */
const during = (name: string, happen: Bring): ReplicaSetFault => {
  const crash: Bring = ({ set }) => set.bring('kill', { policy: 'after', gapMs: 3_000, restartMs: 1_000 });
  return define(`crash, 3 s, while ${name}`, 1, (parts) => Promise.all([crash(parts), happen(parts)]), {
    isDouble: true,
  });
};
const whileRedisRestarts = during('Redis is killed and restarts', async ({ cluster: { redis } }) => {
  await redis.kill();
  await delay(2_000);
  await redis.start();
});
const whilePodDrains = during('a pod drains and another starts', async ({ cluster: { pods } }) => {
  await pods[1]?.stop();
  await pods[1]?.start();
});
const whileMigrating = during('`npm run migrate` runs', async ({ cluster, mongodbUrl }) => {
  const env = { PATH: process.env.PATH, ...cluster.run.environment, MONGODB_URL: mongodbUrl };
  const main = fileURLToPath(new URL('../../apps/worker/src/migrate.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [main], { env });
});

const madeAnew: Bring = async ({ set }) => {
  await set.bring('stepdown', { windowMs: 0, gapMs: 100 });
  await set.bring('reinit', { ms: 2_000 });
};
const hostsChange: Bring = async ({ set }) => {
  await set.bring('stepdown', { windowMs: 0, gapMs: 100, to: 0 });
  await set.bring('reconfig', { hosts: [0, 1] });
  await set.bring('reconfig', { member: 1, setVersion: 1 });
  await set.bring('stepdown', { windowMs: 200, gapMs: 3_000, to: 1 });
  await set.bring('reconfig', { member: 1 });
  await set.bring('reconfig', { hosts: [0, 1, 2] });
};
const showOldState: Bring = async ({ set }) => {
  await set.bring('track');
  await set.bring('kill', { windowMs: 200, gapMs: 500, restartMs: 1_000, staleMs: 600, lookbackMs: 1_000 });
};

/** One of each kind. The times in the names are those without a primary. */
export const shortReplicaSetFaults: readonly ReplicaSetFault[] = [
  row('step-down, 0.5 s, half of the last writes run', 1, 'stepdown', { policy: 'partial', gapMs: 500 }),
  row('crash, 0.5 s, the last writes run', 1, 'kill', { policy: 'after', gapMs: 500 }),
  row('primary isolated for 3 s, its writes undone', 1, 'isolate', { ms: 3_000, outcome: 'rollback' }),
  row('no replication for 3 s', 1, 'stall', { ms: 3_000 }),
  row('primary silent for 3 s', 1, 'hang', { ms: 3_000 }),
  row('clean shutdown of the primary', 1, 'shutdown', {}),
  burst('50, 91, connections reset', 700, 0.3, ...before(50), ...after(91), resetAfter),
  whileRedisRestarts,
];

/** Those of docs/stores.md. */
export const longReplicaSetFaults: readonly ReplicaSetFault[] = [
  row('step-down, 0.5 s, the last writes do not run', 4, 'stepdown', { policy: 'before', gapMs: 500 }),
  row('step-down, 0.5 s, the last writes run', 4, 'stepdown', { policy: 'after', gapMs: 500, wce: 189 }),
  row('step-down, 3 s, half of the last writes run', 3, 'stepdown', { policy: 'partial', gapMs: 3_000 }),
  row('crash, 0.5 s, the last writes do not run', 3, 'kill', { policy: 'before', gapMs: 500 }),
  row('crash, 3 s, the last writes run', 3, 'kill', { policy: 'after', gapMs: 3_000 }),
  row('crash, 0.5 s, half of the last writes run', 3, 'kill', { policy: 'partial', gapMs: 500 }),
  row('crash, 12 s, the last writes run', 2, 'kill', { policy: 'after', gapMs: 12_000 }),
  row('crash every 3 s, 0.3 s', 8, 'kill', { policy: 'after', gapMs: 300 }),
  row('primary isolated for 10 s, its writes undone', 2, 'isolate', { ms: 10_000, outcome: 'rollback' }),
  row('primary isolated for 10 s, its writes survive', 2, 'isolate', { ms: 10_000, outcome: 'survive' }),
  row('two primaries for 3 s', 3, 'isolate', { ms: 4_000, outcome: 'rollback', overlapMs: 3_000 }),
  row('primary isolated for 5 s, then a crash', 2, 'isolate', { ms: 5_000, outcome: 'rollback', hard: true }),
  define('crash, 0.5 s, then the state of 1 s before for 0.6 s', 4, showOldState),
  row('no replication for 12 s', 2, 'stall', { ms: 12_000 }),
  row('no replication for 20 s', 1, 'stall', { ms: 20_000 }),
  lag(300, 20_000),
  lag(2_500, 25_000),
  lag(6_000, 60_000),
  row('primary silent for 16 s, another elected after 10 s', 2, 'hang', { ms: 16_000, electAfterMs: 10_000 }),
  row('primary silent for 6 s', 3, 'hang', { ms: 6_000 }),
  row('primary silent for 25 s', 1, 'hang', { ms: 25_000 }),
  row('clean shutdown of the primary', 3, 'shutdown', {}),
  row('all members down for 40 s', 1, 'down', { ms: 40_000 }),
  define('the hosts change, and a member with an old setVersion is elected, 3 s', 1, hostsChange),
  burst('50, 262, 112, 43, 91', 3_500, 0.3, ...before(50, 262, 112, 43, 91), ...after(50, 91)),
  burst(
    'confirmed by 64, 91, 189; 462; connections reset',
    3_500,
    0.3,
    ...confirmedBy(64, 91, 189),
    ...before(462),
    resetAfter,
  ),
  burst('confirmed by 64; 3 s late', 3_500, 1, ...confirmedBy(64), { when: 'after', delayMs: 3_000 }),
  burst('half of each batch runs', 3_500, 0.3, byHalf),
  burst('half of each batch runs', 3_500, 0.8, byHalf),
  whileRedisRestarts,
  whilePodDrains,
  whileMigrating,
  define('the set is made anew', 1, madeAnew, { recoversWithinMs: 60_000, stopsWorkers: true }),
];

/** For processes with `retryWrites=false` in the URL. */
export const faultsWithoutRetries: readonly ReplicaSetFault[] = [
  row('retryWrites=false: crash, 0.5 s', 4, 'kill', { policy: 'after', gapMs: 500 }),
  row('retryWrites=false: step-down, 0.5 s', 4, 'stepdown', { policy: 'after', gapMs: 500 }),
];
