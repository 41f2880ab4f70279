import { toUuidV8 } from '@widget-service/shared/domain/uuid.ts';
import { createRandom, type Random } from '../engine/random.ts';
import { Scheduler } from '../engine/scheduler.ts';
import { calendarStartMs, type Running, SimulatedProcess } from '../engine/simulated-process.ts';
import { Database } from '../stores/database.ts';
import { copyStream } from '../stores/event-stream.ts';
import { MemoryReplica } from '../stores/memory-replica.ts';
import { MemoryServer } from '../stores/memory-server.ts';
import { openSimulatedPorts } from '../stores/open-simulated-ports.ts';
import type { ClientView, RequestOutcome } from './client-view.ts';
import { listProcessNames } from './generate-plan.ts';
import { History } from './history.ts';
import { CallFaults, type Fault, type Plan, type ReplicaName, type ServerName } from './plan.ts';
import { type Pod, type RunningProcess, startPod, startWorker } from './processes.ts';
import { RunWatch } from './run-watch.ts';
import { poisonText, Sender } from './sender.ts';
import { createSimulatedLink, latencyMs } from './simulated-link.ts';
import { SimulatedServer } from './simulated-server.ts';
import type { SimulatedSocket } from './simulated-socket.ts';
import { Subscriber } from './subscriber.ts';

const clientTimeoutMs = 5_000;
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;
const dayMs = 24 * 3_600_000;

/** The servers, processes and clients of one simulation, on one virtual clock. */
export class World implements ClientView {
  readonly scheduler = new Scheduler();
  readonly running: Running = { process: null };
  readonly history = new History();
  readonly database = new Database();
  readonly memory: MemoryServer;
  readonly servers: Readonly<Record<ServerName, SimulatedServer>> = {
    database: new SimulatedServer('database'),
    memory: new SimulatedServer('memory'),
    'replica-1': new SimulatedServer('replica-1'),
    'replica-2': new SimulatedServer('replica-2'),
  };
  readonly replicas: ReadonlyMap<ReplicaName, MemoryReplica>;
  readonly callFaults: CallFaults;
  readonly plan: Plan;
  readonly clients: SimulatedProcess;
  readonly sender: Sender;
  readonly subscribers: Subscriber[] = [];
  readonly processes = new Map<string, RunningProcess | Pod>();
  /** The open connections of clients, with the name of the pod. */
  readonly sockets = new Map<SimulatedSocket, string>();
  readonly trace: (text: string) => void;
  readonly applyCallFault: (fault: Fault, process: SimulatedProcess) => void;
  lateMessages = 0;
  readonly #random: Random;
  readonly #ids: Random;
  readonly #runWatch: RunWatch;
  readonly #replication: Random;
  #replicationVersion = 0;
  #idCount = 0;

  constructor(
    seed: number,
    plan: Plan,
    options: {
      trace: ((text: string) => void) | null;
      applyCallFault: (world: World, fault: Fault, process: SimulatedProcess) => void;
    },
  ) {
    this.plan = plan;
    this.#random = createRandom(seed);
    this.#ids = this.#random.fork('ids');
    this.#replication = this.#random.fork('replication');
    const { trace } = options;
    this.trace =
      trace === null ? () => undefined : (text) => trace(`${this.scheduler.nowMs.toFixed(1).padStart(9)} ${text}`);
    this.applyCallFault = (fault, process) => options.applyCallFault(this, fault, process);
    this.callFaults = new CallFaults(plan.faults);
    this.memory = new MemoryServer({
      partitions: plan.settings.partitions,
      retention: { count: plan.settings.retentionCount, ageMs: dayMs, bytes: 2 ** 30 },
      nowMs: () => Math.floor(calendarStartMs + this.scheduler.nowMs),
    });
    this.memory.onAppend = (records) => this.history.recordAppend(records, this.scheduler.nowMs);
    this.memory.onTrim = (records) => this.history.recordTrim(records);
    const names = (['replica-1', 'replica-2'] as const).slice(0, plan.settings.replicas);
    this.replicas = new Map(names.map((name) => [name, new MemoryReplica()]));
    this.memory.onChange = () => this.replicate();
    this.#runWatch = new RunWatch(this.database, (violation) => this.#reportViolation(violation));
    this.memory.onExpireMarks = (marks) => this.#runWatch.checkExpiry(marks);
    this.database.onEffect = (document, entries) => {
      this.history.recordEffect(document.widget.id, entries);
      this.#runWatch.checkEffect(document, entries);
    };
    this.scheduler.onCallbackDone = (nowMs) => {
      for (const process of this.processes.values()) if ('checkStreams' in process) process.checkStreams(nowMs);
    };
    this.database.rejectPayloads('outbox', poisonText);
    this.clients = this.#createProcess('clients');
    this.sender = new Sender(this);
  }

  start(): void {
    const { pods, workers } = this.plan.settings;
    for (const name of [...listProcessNames('pod', pods), ...listProcessNames('worker', workers)])
      this.startProcess(name);
  }

  /** Starts a process in place of the earlier one with this name. */
  startProcess(name: string): void {
    this.trace(`${name}: starts`);
    const process = this.#createProcess(name);
    const uncheckedPorts = openSimulatedPorts({
      database: this.database,
      memory: this.memory,
      links: { database: this.#link(process, 'database'), memory: this.#link(process, 'memory') },
      replicas: [...this.replicas].map(([replicaName, replica]) => ({
        replica,
        link: this.#link(process, replicaName),
      })),
      clock: process.clock,
      createRandomId: () => {
        this.#idCount += 1;
        return `w${this.#idCount.toString(36)}`;
      },
      lockDurationMs,
      stalledIntervalMs,
      onWarning: (message) => this.trace(`${name}: ${message}`),
    });
    const ports = this.#runWatch.wrap(uncheckedPorts, process.clock);
    process.deliver(() => {
      if (name.startsWith('worker')) {
        this.processes.set(name, startWorker(process, ports, this.trace));
        return;
      }
      const { settings } = this.plan;
      const createUuid = () => this.createUuid();
      const reportViolation = (violation: string) => this.#reportViolation(violation);
      this.processes.set(name, startPod({ process, ports, settings, createUuid, reportViolation, trace: this.trace }));
    });
  }

  /** Sends every replica what the primary has. */
  replicate(): void {
    if (this.replicas.size === 0) return;
    this.#replicationVersion += 1;
    const version = this.#replicationVersion;
    const { log, lossCount } = this.history;
    const sent = { stream: copyStream(this.memory.state.stream), logLength: log.length, lossCount };
    for (const replica of this.replicas.values()) {
      this.scheduler.after(latencyMs(this.#replication), () => replica.receive(version, sent));
    }
  }

  /** Kills the process. Its connections break. */
  killProcess(name: string): void {
    this.processes.get(name)?.process.kill();
    for (const [socket, podName] of [...this.sockets]) if (podName === name) socket.breakConnection();
  }

  /** Adds a client with one stream. */
  subscribe(isFiltered: boolean): Subscriber {
    const subscriber = new Subscriber(this, isFiltered);
    this.subscribers.push(subscriber);
    subscriber.connect();
    return subscriber;
  }

  createUuid(): string {
    const hex = Array.from({ length: 4 }, () => this.#ids.whole(0, 0xffffffff).toString(16).padStart(8, '0')).join('');
    return toUuidV8(hex);
  }

  pickPod(): string {
    return this.clients.random.pick(listProcessNames('pod', this.plan.settings.pods));
  }

  /** Sends a request to a pod, and waits for the answer up to the client's time limit. */
  request<T>(podName: string, work: (pod: Pod) => Promise<T>): Promise<RequestOutcome<T>> {
    const { clients } = this;
    const delay = () => latencyMs(clients.random);
    return new Promise((resolve) => {
      const timeout = clients.after(clientTimeoutMs, () => resolve({ status: 'unknown' }));
      const answer = (outcome: RequestOutcome<T>) => {
        clients.after(delay(), () => {
          timeout.isCancelled = true;
          resolve(outcome);
        });
      };
      this.scheduler.after(delay(), () => {
        const pod = this.processes.get(podName) as Pod | undefined;
        if (pod === undefined || pod.process.isDead) return answer({ status: 'refused' });
        pod.process.deliver(() => {
          work(pod).then(
            (value) => answer({ status: 'ok', value }),
            () => answer({ status: 'refused' }),
          );
        });
      });
    });
  }

  #reportViolation(violation: string): void {
    this.trace(`violation: ${violation}`);
    this.history.stepViolations.add(violation);
  }

  #createProcess(name: string): SimulatedProcess {
    this.#idCount += 1;
    return new SimulatedProcess(name, {
      scheduler: this.scheduler,
      running: this.running,
      random: this.#random.fork(`${name} ${this.#idCount}`),
      clockAheadMs: this.plan.settings.clockAheadMs[name] ?? 0,
    });
  }

  #link(process: SimulatedProcess, server: ServerName) {
    return createSimulatedLink({
      scheduler: this.scheduler,
      process,
      server: this.servers[server],
      callFaults: this.callFaults,
      applyCallFault: this.applyCallFault,
      trace: this.trace,
      onLate: (change) => {
        this.lateMessages += change;
      },
    });
  }
}
