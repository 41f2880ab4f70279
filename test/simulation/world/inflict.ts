import type { SimulatedProcess } from '../engine/simulated-process.ts';
import { putInFront } from '../stores/job-queue.ts';
import type { MemoryState } from '../stores/memory-server.ts';
import type { Fault } from './plan.ts';
import type { World } from './world.ts';

type TimedFault = Exclude<Fault, { readonly call: string } | { readonly kind: 'lose' }>;

/** Has the plan's faults happen at their times; those that are placed at a call wait for it. */
export function scheduleFaults(world: World): void {
  for (const fault of world.plan.faults) {
    if ('call' in fault) continue;
    if (fault.kind === 'lose') scheduleLoss(world, fault);
    else world.scheduler.after(fault.atMs, () => inflictNow(world, fault));
  }
}

function inflictNow(world: World, fault: TimedFault): void {
  world.trace(`fault: ${JSON.stringify(fault)}`);
  switch (fault.kind) {
    case 'crash':
      crash(world, fault.process, fault.forMs);
      break;
    case 'sleep': {
      const process = world.roles.get(fault.process)?.process;
      if (process !== undefined) sleep(world, process, fault.forMs);
      break;
    }
    case 'restart':
      restart(world, fault.process);
      break;
    case 'away':
      away(world, fault);
      break;
    case 'cut': {
      const server = world.servers[fault.server];
      server.cutOff(fault.process);
      world.scheduler.after(fault.forMs, () => server.reconnect(fault.process));
      break;
    }
    case 'trim':
      trimTo(world, fault.keep);
      break;
    case 'start-again':
      startAgain(world);
      break;
  }
}

const restartMs = 20;

/** What is placed at a call happens to the process that makes it, or behind its back. */
export function inflictAtCall(world: World, fault: Fault, process: SimulatedProcess): void {
  world.trace(`fault: ${process.name}: ${JSON.stringify(fault)}`);
  if (fault.kind === 'lose-at') loseLater(world, fault.previousMs, restartMs);
  if (fault.kind === 'subscribe-at') world.clients.deliver(() => void world.subscribe(false));
  if (fault.kind === 'pods-sleep-at') sleepPods(world, fault);
  if (fault.kind === 'trim-at') trimTo(world, fault.keep);
  if (fault.kind === 'start-again-at') startAgain(world);
  if (fault.kind === 'sleep-at') sleep(world, process, fault.forMs);
  if (fault.kind === 'crash-at') crash(world, process.name, fault.forMs);
}

/** As by a worker whose retention is that small. */
function trimTo({ memory, database }: World, count: number): void {
  memory.trim(database.register.lastPosition, { count });
}

function crash(world: World, name: string, forMs: number): void {
  const { process } = world.roles.get(name) ?? {};
  if (process === undefined || process.isDead) return;
  world.killProcess(name);
  world.scheduler.after(forMs, () => startInPlaceOf(world, name, process));
}

function sleep(world: World, process: SimulatedProcess, forMs: number): void {
  process.sleep();
  world.scheduler.after(forMs, () => {
    world.trace(`${process.name}: wakes`);
    process.wake();
  });
}

function sleepPods(world: World, { forMs, isTrimmed }: Extract<Fault, { kind: 'pods-sleep-at' }>): void {
  const { memory, scheduler } = world;
  const end = memory.state.stream.meta?.seq ?? 0;
  if (isTrimmed) {
    const isKept = ({ seq }: { readonly seq: number }) => seq > end;
    scheduler.after(forMs, () => trimTo(world, memory.state.stream.entries.filter(isKept).length));
  }
  for (const [name, { process }] of world.roles) if (name.startsWith('pod')) sleep(world, process, forMs);
}

const stopWithinMs = 20_000;

/** Whoever does not stop in time is killed. */
function restart(world: World, name: string): void {
  const role = world.roles.get(name);
  if (role === undefined || role.process.isDead) return;
  const end = () => {
    if (role.process.isDead) return;
    world.killProcess(name);
    startInPlaceOf(world, name, role.process);
  };
  world.scheduler.after(stopWithinMs, end);
  role.process.deliver(() => void role.stop().then(() => void world.scheduler.after(0, end)));
}

function startInPlaceOf(world: World, name: string, process: SimulatedProcess): void {
  if (world.roles.get(name)?.process === process) world.startProcess(name);
}

function away(world: World, { server: name, forMs, isFrozen }: Extract<Fault, { kind: 'away' }>): void {
  const server = world.servers[name];
  if (isFrozen) server.freeze();
  else server.goDown();
  world.scheduler.after(forMs, () => server.comeBack());
}

function startAgain({ memory }: World): void {
  const { queue } = memory.state;
  for (const jobId of [...queue.active.keys()]) {
    const job = queue.jobs.get(jobId);
    if (job !== undefined) queue.jobs.set(jobId, { ...job, starts: 0 });
    putInFront(queue, jobId);
  }
  memory.enqueued.ring();
}

function scheduleLoss(world: World, { atMs, forMs, copyAgeMs }: Extract<Fault, { kind: 'lose' }>): void {
  const { scheduler, memory } = world;
  if (copyAgeMs === null) {
    scheduler.after(atMs, () => lose(world, { state: memory.empty(), logLength: 0 }, forMs));
    return;
  }
  scheduler.after(atMs - copyAgeMs, () => loseLater(world, copyAgeMs, forMs));
}

function loseLater(world: World, copyAgeMs: number, forMs: number): void {
  const { scheduler, memory, history } = world;
  const copy = { state: memory.copy(), logLength: history.log.length };
  const { lossCount } = history;
  scheduler.after(copyAgeMs, () => {
    // A copy of what was lost meanwhile would bring it back: one loss at a time.
    if (lossCount === history.lossCount) lose(world, copy, forMs);
  });
}

function lose(world: World, copy: { state: MemoryState; logLength: number }, forMs: number): void {
  const { scheduler, memory, history, servers } = world;
  world.trace(`fault: the memory server comes back as it was, with ${copy.logLength} events`);
  if (forMs > 0) servers.memory.goDown();
  history.noteLoss(memory.state, copy.state, copy.logLength, scheduler.nowMs);
  memory.state = copy.state;
  if (forMs > 0) scheduler.after(forMs, () => servers.memory.comeBack());
}

/** From now on all is well: servers are there, processes run, and nothing else goes wrong. */
export function healAll(world: World): void {
  world.trace('everything heals');
  world.places.end();
  for (const server of Object.values(world.servers)) {
    for (const name of world.roles.keys()) server.reconnect(name);
    if (server.state !== 'up') server.comeBack();
  }
  for (const [name, { process }] of [...world.roles]) {
    process.wake();
    if (process.isDead) world.startProcess(name);
  }
}
