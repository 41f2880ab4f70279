import { createRandom, type Random } from '../engine/random.ts';
import {
  generateLoss,
  generateLossBehindAppend,
  generateReplicaFaults,
  generateUnrecordedLoss,
} from './generate-store-faults.ts';
import {
  type CallFate,
  type Fault,
  type Operation,
  type Plan,
  type PlanSettings,
  planMs,
  type Role,
  type ServerName,
} from './plan.ts';

const workerCalls = [
  'startRun',
  'load',
  'register',
  'apply',
  'lastPosition',
  'append',
  'recordPosition',
  'markPublished',
  'removePublished',
  'expireMarks',
  'start-job',
  'coalesce',
  'remove-job',
  'finish-job',
  'renew-lock',
  'enqueue',
  'markDead',
] as const;
/** The steps of a run. Most faults are placed here. */
const runCalls = workerCalls.slice(1, 10);
const callsAfterAppend = ['recordPosition', 'markPublished', 'removePublished', 'expireMarks'];
const podCalls = ['enqueue', 'insertOnce', 'inspect', 'readAfter', 'tail', 'append', 'startRun'] as const;
const fates: readonly CallFate[] = ['never-arrives', 'answer-lost', 'answer-lost', 'late', 'twice'];

/** Returns the plan of a seed. */
export function generatePlan(seed: number): Plan {
  const random = createRandom(seed).fork('plan');
  const settings = {
    ...generateSettings(random.fork('settings')),
    replicas: random.fork('replicas').pick([0, 0, 1, 2]),
  };
  const operations = generateOperations(random.fork('operations'));
  const faults = [
    ...generateFaults(random.fork('faults'), settings),
    ...generateReplicaFaults(random.fork('replica faults'), settings),
  ];
  if (random.chance(0.3)) return addRepeatedNumbers(random, { settings, operations, faults });
  return { settings, operations, faults };
}

/** The log gives numbers again and soon trims them, while streams often end and resume. */
function addRepeatedNumbers(random: Random, { settings, operations, faults }: Plan): Plan {
  return {
    settings: {
      ...settings,
      partitions: 2,
      retentionCount: random.pick([1, 1, 2, settings.retentionCount]),
      streamLifetimeMs: random.pick([1_000, 4_000, 1_800_000]),
      // Another worker continues while one sleeps.
      workers: Math.max(2, settings.workers),
      joinMaxMs: random.pick([1_000, 4_000, 4_000, 10_000]),
    },
    operations,
    faults: [...(random.chance(0.5) ? [] : faults), ...generateUnrecordedLoss(random)],
  };
}

function generateSettings(random: Random): Omit<PlanSettings, 'replicas'> {
  const pods = random.whole(1, 2);
  const workers = random.whole(1, 3);
  const names = [...listProcessNames('pod', pods), ...listProcessNames('worker', workers)];
  const clockAheadMs: Record<string, number> = {};
  if (random.chance(0.1)) clockAheadMs[random.pick(names)] = random.pick([-300_000, -2_000, 2_000, 300_000]);
  return {
    pods,
    workers,
    partitions: random.whole(1, 2),
    retentionCount: random.chance(0.3) ? random.whole(3, 12) : 10_000,
    ringFrames: random.chance(0.4) ? random.whole(1, 6) : 10_000,
    unsentLimitBytes: random.chance(0.3) ? 1_000 : 65_536,
    clockAheadMs,
    // Mostly so long that the end of the stream does not hide a stream that is stuck.
    streamLifetimeMs: random.chance(0.2) ? 15_000 : 1_800_000,
    joinMaxMs: random.pick([0, 0, 1, 30, 2_000]),
  };
}

export function listProcessNames(role: Role, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${role}-${index + 1}`);
}

function generateOperations(random: Random): Operation[] {
  const at = () => random.whole(0, planMs);
  const operations: Operation[] = [];
  const creations = random.whole(1, 3);
  for (let number = 0; number < creations; number += 1) {
    const hasKey = random.chance(0.8);
    const atMs = random.whole(0, 4_000);
    const attempts = hasKey ? random.pick([1, 1, 2, 3]) : 1;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const name = random.chance(0.1) ? 'another' : 'widget';
      operations.push({
        kind: 'create',
        atMs: atMs + attempt * random.pick([0, 5, 700]),
        number,
        hasKey,
        name,
        tries: 4,
      });
    }
  }
  const hooks = random.whole(4, 16);
  // Some hooks come close together, so that they share jobs and runs overlap.
  const bursts = Array.from({ length: 3 }, at);
  for (let index = 0; index < hooks; index += 1) {
    const atMs = random.chance(0.6) ? random.pick(bursts) + random.whole(0, 40) : at();
    const hook = generateHook(random, atMs, `hook-${index}`, creations);
    operations.push(hook);
    if (hook.key !== null && random.chance(0.3)) {
      operations.push({ ...hook, atMs: atMs + random.pick([0, 20, 1_000, 9_000]) });
    }
  }
  const clients = random.whole(1, 3);
  for (let client = 0; client < clients; client += 1) {
    operations.push({ kind: 'subscribe', atMs: random.whole(0, 5_000), client, isFiltered: random.chance(0.2) });
    if (random.chance(0.4)) {
      const kind = random.pick(['stall', 'leave'] as const);
      operations.push({ kind, atMs: at(), client, forMs: random.whole(100, 12_000) });
    }
  }
  return operations.sort((a, b) => a.atMs - b.atMs);
}

function generateHook(random: Random, atMs: number, key: string, creations: number): Operation & { kind: 'hook' } {
  const hasKey = random.chance(0.9);
  return {
    kind: 'hook',
    atMs,
    widget: random.chance(0.15) ? random.pick(['unknown', null]) : random.whole(0, creations - 1),
    hookKind: random.pick(['created', 'updated', 'updated', 'retired']),
    key: hasKey ? key : null,
    senderAheadMs: random.pick([0, 0, -5_000, -100, 60_000]),
    isPoison: random.chance(0.03),
    tries: hasKey ? 4 : 1,
  };
}

function generateFaults(random: Random, settings: PlanSettings): Fault[] {
  const count = random.pick([0, 1, 2, 3, 4, 6, 8]);
  const faults = Array.from({ length: count }, () => generateFault(random, settings));
  if (random.chance(0.2)) faults.push(generateLoss(random));
  // Only a pod with a small ring reads older events from the log.
  if (settings.ringFrames < 10_000 && random.chance(0.3)) faults.push(generateTrim(random));
  if (random.chance(0.04)) faults.push(generateLongStop(random, settings));
  if (settings.workers > 1 && random.chance(0.15)) faults.push(...generateLossBehindAppend(random));
  return faults;
}

function generateFault(random: Random, settings: PlanSettings): Fault {
  const process = random.pick([
    ...listProcessNames('pod', settings.pods),
    ...listProcessNames('worker', settings.workers),
    ...listProcessNames('worker', settings.workers),
  ]);
  const server: ServerName = random.pick(['database', 'memory']);
  const atMs = random.whole(0, planMs);
  const forMs = random.pick([50, 1_000, 4_000, 12_000, 30_000]);
  const isFrozen = random.chance(0.5);
  return random.pick<() => Fault>([
    () => ({ kind: 'crash', atMs, process, forMs }),
    () => ({ kind: 'sleep', atMs, process, forMs }),
    () => ({ kind: 'restart', atMs, process }),
    () => generateCallFault(random),
    () => generateCallFault(random),
    () => generateStop(random),
    () => generateStop(random),
    () => generateStop(random),
    () => ({ kind: 'unavailable', atMs, server, forMs: random.pick([200, 3_000, 10_000]), isFrozen }),
    () => ({ kind: 'cut', atMs, server, process, forMs: random.pick([500, 6_000, 15_000]) }),
    () => ({ kind: 'trim', atMs, keep: random.whole(0, 5) }),
    () => generateTrim(random),
    () => ({ kind: 'restart-jobs', atMs }),
    () => generateJobRestart(random),
    () => generateJobRestart(random),
  ])();
}

function generateStop(random: Random): Fault {
  const place = pickCall(random, random.chance(0.85) ? runCalls : workerCalls);
  const kind = random.pick(['crash-at', 'sleep-at', 'sleep-at'] as const);
  return {
    kind,
    ...place,
    moment: random.pick(['before', 'after']),
    forMs: random.pick([500, 12_000, 16_000, 40_000]),
  };
}

/** Trims while a pod reads events behind its ring. */
function generateTrim(random: Random): Fault {
  const place = { role: 'pod', call: 'readAfter', nth: random.whole(1, 3) } as const;
  return { kind: 'trim-at', ...place, moment: 'before', keep: random.whole(0, 3) };
}

/** Starts jobs again while a run is under way. */
function generateJobRestart(random: Random): Fault {
  const place = { role: 'worker', call: random.pick(runCalls), nth: random.whole(1, 12) } as const;
  return { kind: 'restart-jobs-at', ...place, moment: 'before' };
}

/** Long enough for a dedupe mark in the log to expire. A single worker crashes, so nothing changes until it is back. */
function generateLongStop(random: Random, { workers }: PlanSettings): Fault {
  const kind = workers === 1 ? 'crash-at' : 'sleep-at';
  const calls = workers === 1 ? callsAfterAppend : ['append', 'append', 'apply', 'lastPosition', ...callsAfterAppend];
  const place = { role: 'worker', call: random.pick(calls), nth: random.whole(1, 6) } as const;
  return { kind, ...place, moment: 'before', forMs: 2 * 3_600_000 };
}

function generateCallFault(random: Random): Fault {
  const trip = random.pick([0, 0, 0, 1, 2, 3]);
  const lateMs = random.pick([100, 3_000, 8_000, 30_000]);
  return { kind: 'call', ...pickCall(random, workerCalls), trip, fate: random.pick(fates), lateMs };
}

function pickCall(random: Random, calls: readonly string[]) {
  const nth = random.chance(0.7) ? random.whole(1, 6) : random.whole(1, 25);
  if (random.chance(0.15)) return { role: 'pod', call: random.pick(podCalls), nth } as const;
  return { role: 'worker', call: random.pick(calls), nth } as const;
}
