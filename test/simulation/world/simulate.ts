import { formatPosition } from '@widget-service/shared/domain/log-position.ts';
import { violationsIn } from '../../checkers/simulated/violations.ts';
import { withVirtualGlobals } from '../engine/virtual-globals.ts';
import { healAll, inflictAtCall, scheduleFaults } from './inflict.ts';
import { type Operation, type Plan, planMs } from './plan.ts';
import type { Subscriber } from './subscriber.ts';
import { World } from './world.ts';

/** So long after everything has healed, all must be quiet. */
const quietWithinMs = 900_000;
const checkEveryMs = 500;
const longSleepMs = 3_600_000;
/** Long enough for another to take over from whoever sleeps. */
const recoveryMs = 30_000;

export interface SimulationOutcome {
  readonly violations: readonly string[];
  readonly virtualMs: number;
}

/** Carries out a plan under the order that the seed gives. The same twice gives the same, step by step. */
export async function simulate(
  seed: number,
  plan: Plan,
  trace: ((text: string) => void) | null = null,
): Promise<SimulationOutcome> {
  const world = new World(seed, plan, { trace, inflict: inflictAtCall });
  return withVirtualGlobals(world.running, async () => {
    const subscribers = new Map<number, Subscriber>();
    world.running.process = world.clients;
    world.start();
    for (const operation of plan.operations) {
      world.clients.after(operation.atMs, () => carryOut(world, subscribers, operation));
    }
    scheduleFaults(world);
    await world.scheduler.run(() => world.scheduler.nowMs >= planMs);
    await passLongSleep(world);
    healAll(world);
    const unrest = await untilQuiet(world);
    sayLastWord(world);
    const unrestAgain = await untilQuiet(world);
    for (const { record } of world.subscribers) world.history.clients.push(record);
    const stuck = [unrest, unrestAgain].filter((each) => each !== '');
    return { violations: [...stuck, ...violationsIn(world)], virtualMs: world.scheduler.nowMs };
  });
}

/** Whoever sleeps for hours is waited for. After a while the others sleep too: nothing more would come of them. */
async function passLongSleep({ plan, scheduler, roles, clients }: World): Promise<void> {
  const longMs = Math.max(0, ...plan.faults.map((fault) => ('forMs' in fault ? fault.forMs : 0)));
  if (longMs < longSleepMs) return;
  await scheduler.run(() => scheduler.nowMs >= planMs + recoveryMs);
  const processes = [clients, ...[...roles.values()].map(({ process }) => process)];
  for (const process of processes) process.sleep();
  await scheduler.run(() => scheduler.nowMs >= planMs + longMs);
  for (const process of processes) process.wake();
}

function carryOut(world: World, subscribers: Map<number, Subscriber>, operation: Operation): void {
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

/** Something is appended after all else, by which a log that has lost its end is noticed. */
function sayLastWord(world: World): void {
  world.clients.deliver(() => {
    const create = { kind: 'create', atMs: 0, number: -1, hasKey: true, name: 'last', tries: 20 } as const;
    void world.sender.create(create);
  });
}

/** Returns what is still to be done when the time is over; empty when nothing is. */
async function untilQuiet(world: World): Promise<string> {
  const { scheduler } = world;
  const endMs = scheduler.nowMs + quietWithinMs;
  let checkAtMs = scheduler.nowMs + checkEveryMs;
  let unrest = '';
  await scheduler.run(() => {
    if (scheduler.nowMs < checkAtMs) return false;
    checkAtMs = scheduler.nowMs + checkEveryMs;
    unrest = whatIsNotQuiet(world);
    return unrest === '' || scheduler.nowMs >= endMs;
  });
  return unrest;
}

/** What is still to be done; empty when nothing is. */
function whatIsNotQuiet(world: World): string {
  const { sender, lateMessages, memory, database, subscribers } = world;
  if (!sender.isIdle) return 'C9: a client still waits for an answer';
  if (lateMessages > 0) return 'C9: a message is still on its way';
  const { queue, stream } = memory.state;
  if (queue.jobs.size > 0) return `C9: ${queue.jobs.size} jobs are left in the queue`;
  const [outbox] = database.outboxes();
  if (outbox !== undefined) return `C9: the outbox of ${outbox.widget.id} is not empty`;
  const { meta } = stream;
  const end = meta === null ? null : formatPosition({ epoch: meta.epoch, ms: meta.ms, seq: meta.seq });
  const behind = subscribers.find(({ lastEventId }) => lastEventId !== end);
  return behind === undefined ? '' : `C2: a client stays at ${behind.lastEventId}, the log ends at ${end}`;
}
