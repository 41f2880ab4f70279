import type { SimulatedProcess } from '../engine/simulated-process.ts';
import { copyStream } from '../stores/event-stream.ts';
import { putInFront } from '../stores/job-queue.ts';
import type { MemoryState } from '../stores/memory-server.ts';
import type { Fault, ReplicaName } from './plan.ts';
import type { World } from './world.ts';

type TimedFault = Exclude<Fault, { readonly call: string } | { readonly kind: 'lose' }>;

/** Schedules the plan's faults at their times. Faults that are placed at a call wait for that call. */
export function scheduleFaults(world: World): void {
  for (const fault of world.plan.faults) {
    if ('call' in fault) continue;
    if (fault.kind === 'lose') scheduleLoss(world, fault);
    else world.scheduler.after(fault.atMs, () => applyFault(world, fault));
  }
}

function applyFault(world: World, fault: TimedFault): void {
  world.trace(`fault: ${JSON.stringify(fault)}`);
  switch (fault.kind) {
    case 'crash':
      crash(world, fault.process, fault.forMs);
      break;
    case 'sleep': {
      const process = world.processes.get(fault.process)?.process;
      if (process !== undefined) sleep(world, process, fault.forMs);
      break;
    }
    case 'restart':
      restart(world, fault.process);
      break;
    case 'unavailable':
      makeUnavailable(world, fault);
      break;
    case 'cut': {
      const server = world.servers[fault.server];
      server.cutOff(fault.process);
      world.scheduler.after(fault.forMs, () => server.reconnect(fault.process));
      break;
    }
    case 'detach':
      detach(world, fault);
      break;
    case 'abandon':
      abandon(world, fault);
      break;
    case 'promote':
      promote(world, fault);
      break;
    case 'trim':
      trimTo(world, fault.keep);
      break;
    case 'restart-jobs':
      restartJobs(world);
      break;
  }
}

const restartMs = 20;

/** Applies a fault that is placed at a call: to the calling process, or elsewhere at that moment. */
export function applyFaultAtCall(world: World, fault: Fault, process: SimulatedProcess): void {
  world.trace(`fault: ${process.name}: ${JSON.stringify(fault)}`);
  if (fault.kind === 'lose-at') loseLater(world, fault.delayMs, restartMs);
  if (fault.kind === 'subscribe-at') world.clients.deliver(() => void world.subscribe(false));
  if (fault.kind === 'pods-sleep-at') sleepPods(world, fault);
  if (fault.kind === 'detach-at') detach(world, fault);
  if (fault.kind === 'promote-at') promote(world, fault);
  if (fault.kind === 'trim-at') trimTo(world, fault.keep);
  if (fault.kind === 'restart-jobs-at') restartJobs(world);
  if (fault.kind === 'sleep-at') sleep(world, process, fault.forMs);
  if (fault.kind === 'crash-at') crash(world, process.name, fault.forMs);
}

function detach(world: World, { replica: name, forMs }: { replica: ReplicaName; forMs: number }): void {
  const replica = world.replicas.get(name);
  replica?.detach();
  world.scheduler.after(forMs, () => {
    replica?.attach();
    world.replicate();
  });
}

function abandon(world: World, { replica, isDown }: Extract<Fault, { kind: 'abandon' }>): void {
  world.replicas.get(replica)?.abandon();
  if (isDown) world.servers[replica].shutDown();
}

function promote(world: World, { replica: name, forMs }: { replica: ReplicaName; forMs: number }): void {
  const { memory, history } = world;
  const replica = world.replicas.get(name)?.log;
  // What a replica kept from before another loss would bring the lost events back.
  if (replica === undefined || replica.lossCount !== history.lossCount) return;
  const state = { stream: copyStream(replica.stream), queue: memory.state.queue };
  lose(world, { state, logLength: replica.logLength }, forMs);
}

/** Like a worker with so small a retention. */
function trimTo({ memory, database }: World, count: number): void {
  memory.trim(database.runRegistry.lastPosition, { count });
}

function crash(world: World, name: string, forMs: number): void {
  const { process } = world.processes.get(name) ?? {};
  if (process === undefined || process.isDead) return;
  world.killProcess(name);
  world.scheduler.after(forMs, () => startReplacement(world, name, process));
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
  for (const [name, { process }] of world.processes) if (name.startsWith('pod')) sleep(world, process, forMs);
}

const stopWithinMs = 20_000;

/** Kills a process that does not stop in time. */
function restart(world: World, name: string): void {
  const running = world.processes.get(name);
  if (running === undefined || running.process.isDead) return;
  const end = () => {
    if (running.process.isDead) return;
    world.killProcess(name);
    startReplacement(world, name, running.process);
  };
  world.scheduler.after(stopWithinMs, end);
  running.process.deliver(() => void running.stop().then(() => void world.scheduler.after(0, end)));
}

function startReplacement(world: World, name: string, process: SimulatedProcess): void {
  if (world.processes.get(name)?.process === process) world.startProcess(name);
}

function makeUnavailable(
  world: World,
  { server: name, forMs, isFrozen }: Extract<Fault, { kind: 'unavailable' }>,
): void {
  const server = world.servers[name];
  if (isFrozen) server.freeze();
  else server.shutDown();
  world.scheduler.after(forMs, () => server.recover());
}

function restartJobs({ memory }: World): void {
  const { queue } = memory.state;
  for (const jobId of [...queue.active.keys()]) {
    const job = queue.jobs.get(jobId);
    if (job !== undefined) queue.jobs.set(jobId, { ...job, startCount: 0 });
    putInFront(queue, jobId);
  }
  memory.enqueued.notify();
}

function scheduleLoss(world: World, { atMs, forMs, copyAgeMs }: Extract<Fault, { kind: 'lose' }>): void {
  const { scheduler, memory } = world;
  if (copyAgeMs === null) {
    scheduler.after(atMs, () => lose(world, { state: memory.createEmptyState(), logLength: 0 }, forMs));
    return;
  }
  scheduler.after(atMs - copyAgeMs, () => loseLater(world, copyAgeMs, forMs));
}

function loseLater(world: World, copyAgeMs: number, forMs: number): void {
  const { scheduler, memory, history } = world;
  const copy = { state: memory.copyState(), logLength: history.log.length };
  const { lossCount } = history;
  scheduler.after(copyAgeMs, () => {
    // One loss at a time: a copy from before another loss would bring the lost events back.
    if (lossCount === history.lossCount) lose(world, copy, forMs);
  });
}

function lose(world: World, copy: { state: MemoryState; logLength: number }, forMs: number): void {
  const { scheduler, memory, history, servers } = world;
  world.trace(`fault: the memory server is restored from a copy with ${copy.logLength} events`);
  if (forMs > 0) servers.memory.shutDown();
  history.recordLoss(memory.state, copy.state, copy.logLength, scheduler.nowMs);
  memory.state = copy.state;
  memory.onChange();
  if (forMs > 0) scheduler.after(forMs, () => servers.memory.recover());
}

/** Ends all faults: servers are up, processes run, and calls no longer fail. */
export function endAllFaults(world: World): void {
  world.trace('all faults end');
  world.callFaults.stop();
  for (const replica of world.replicas.values()) replica.attach();
  world.replicate();
  for (const server of Object.values(world.servers)) {
    for (const name of world.processes.keys()) server.reconnect(name);
    const isAbandoned = world.plan.faults.some((fault) => fault.kind === 'abandon' && fault.replica === server.name);
    if (server.state !== 'up' && !isAbandoned) server.recover();
  }
  for (const [name, { process }] of [...world.processes]) {
    process.wake();
    if (process.isDead) world.startProcess(name);
  }
}
