import { formatPosition } from '@widget-service/shared/domain/sse-id.ts';
import { findViolations } from '../../checkers/simulated/find-violations.ts';
import { withVirtualGlobals } from '../engine/virtual-globals.ts';
import { applyFaultAtCall, endAllFaults, scheduleFaults } from './apply-faults.ts';
import { type Operation, type Plan, planMs } from './plan.ts';
import type { Subscriber } from './subscriber.ts';
import { World } from './world.ts';

/** How long after the end of all faults everything must be idle. */
const idleWithinMs = 900_000;
const checkEveryMs = 500;
const longSleepMs = 3_600_000;
/** Long enough for another process to take over from one that sleeps. */
const recoveryMs = 30_000;

export interface SimulationOutcome {
  readonly violations: readonly string[];
  readonly virtualMs: number;
}

/** Simulates a plan in the order that the seed gives. The same seed and plan give the same steps. */
export async function simulate(
  seed: number,
  plan: Plan,
  trace: ((text: string) => void) | null = null,
): Promise<SimulationOutcome> {
  const world = new World(seed, plan, { trace, applyCallFault: applyFaultAtCall });
  return withVirtualGlobals(world.running, async () => {
    const subscribers = new Map<number, Subscriber>();
    world.running.process = world.clients;
    world.start();
    for (const operation of plan.operations) {
      world.clients.after(operation.atMs, () => runOperation(world, subscribers, operation));
    }
    scheduleFaults(world);
    await world.scheduler.run(() => world.scheduler.nowMs >= planMs);
    await waitForLongSleep(world);
    endAllFaults(world);
    const pendingAfterFaults = await waitUntilIdle(world);
    createLastWidget(world);
    const pendingAfterWidget = await waitUntilIdle(world);
    for (const { record } of world.subscribers) world.history.clients.push(record);
    const stuck = [pendingAfterFaults, pendingAfterWidget].filter((pending) => pending !== '');
    return { violations: [...stuck, ...findViolations(world)], virtualMs: world.scheduler.nowMs };
  });
}

/** Waits for a process that sleeps for hours. After a while the others sleep, too: they have nothing left to do. */
async function waitForLongSleep({ plan, scheduler, processes: running, clients }: World): Promise<void> {
  const longMs = Math.max(0, ...plan.faults.map((fault) => ('forMs' in fault ? fault.forMs : 0)));
  if (longMs < longSleepMs) return;
  await scheduler.run(() => scheduler.nowMs >= planMs + recoveryMs);
  const processes = [clients, ...[...running.values()].map(({ process }) => process)];
  for (const process of processes) process.sleep();
  await scheduler.run(() => scheduler.nowMs >= planMs + longMs);
  for (const process of processes) process.wake();
}

function runOperation(world: World, subscribers: Map<number, Subscriber>, operation: Operation): void {
  switch (operation.kind) {
    case 'create':
      void world.sender.create(operation);
      break;
    case 'hook':
      void world.sender.hook(operation);
      break;
    case 'subscribe':
      subscribers.set(operation.client, world.subscribe(operation.isFiltered));
      break;
    default: {
      const subscriber = subscribers.get(operation.client);
      subscriber?.[operation.kind](true);
      world.clients.after(operation.forMs, () => subscriber?.[operation.kind](false));
    }
  }
}

/** Appends an event after everything else, so that a log without its tail is noticed. */
function createLastWidget(world: World): void {
  world.clients.deliver(() => {
    const create = { kind: 'create', atMs: 0, number: -1, hasKey: true, name: 'last', tries: 20 } as const;
    void world.sender.create(create);
  });
}

/** Returns what is still pending when the time is over. Empty if nothing is. */
async function waitUntilIdle(world: World): Promise<string> {
  const { scheduler } = world;
  const endMs = scheduler.nowMs + idleWithinMs;
  let checkAtMs = scheduler.nowMs + checkEveryMs;
  let pendingWork = '';
  await scheduler.run(() => {
    if (scheduler.nowMs < checkAtMs) return false;
    checkAtMs = scheduler.nowMs + checkEveryMs;
    pendingWork = describePendingWork(world);
    return pendingWork === '' || scheduler.nowMs >= endMs;
  });
  return pendingWork;
}

/** Returns what is still pending. Empty if nothing is. */
function describePendingWork(world: World): string {
  const { sender, lateMessages, memory, database, subscribers } = world;
  if (!sender.isIdle) return 'C9: a client still waits for an answer';
  if (lateMessages > 0) return 'C9: a delayed message has not arrived yet';
  const { queue, stream } = memory.state;
  if (queue.jobs.size > 0) return `C9: ${queue.jobs.size} jobs are left in the queue`;
  const [outbox] = database.listOutboxes();
  if (outbox !== undefined) return `C9: the outbox of ${outbox.widget.id} is not empty`;
  const { meta } = stream;
  const end = meta === null ? null : formatPosition({ epoch: meta.epoch, ms: meta.ms, seq: meta.seq });
  const behind = subscribers.find(({ lastEventId }) => lastEventId !== end);
  return behind === undefined ? '' : `C2: a client stays at ${behind.lastEventId}, the log ends at ${end}`;
}
