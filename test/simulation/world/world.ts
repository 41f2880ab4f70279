import { toUuidV8 } from '@widget-service/shared/domain/uuid.ts';
import { createRandom, type Random } from '../engine/random.ts';
import { Scheduler } from '../engine/scheduler.ts';
import { calendarStartMs, type Running, SimulatedProcess } from '../engine/simulated-process.ts';
import { Database } from '../stores/database.ts';
import { MemoryServer } from '../stores/memory-server.ts';
import { openSimulatedPorts } from '../stores/open-simulated-ports.ts';
import { FaultPlaces } from './fault-places.ts';
import { namesOf } from './generate-plan.ts';
import { History } from './history.ts';
import type { Outside, RequestOutcome } from './outside.ts';
import type { Fault, Plan } from './plan.ts';
import { type Pod, startPod } from './pod-process.ts';
import { RunWatch } from './run-watch.ts';
import { poisonWord, Sender } from './sender.ts';
import { createSimulatedLink, latencyMs } from './simulated-link.ts';
import { SimulatedServer } from './simulated-server.ts';
import type { SimulatedSocket } from './simulated-socket.ts';
import { Subscriber } from './subscriber.ts';
import { type RunningRole, startWorker } from './worker-process.ts';

const clientPatienceMs = 5_000;
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;
const dayMs = 24 * 3_600_000;

/** The servers, the processes and the clients of one simulation, on one virtual clock. */
export class World implements Outside {
  readonly scheduler = new Scheduler();
  readonly running: Running = { process: null };
  readonly history = new History();
  readonly database = new Database();
  readonly memory: MemoryServer;
  readonly servers = { database: new SimulatedServer('database'), memory: new SimulatedServer('memory') };
  readonly places: FaultPlaces;
  readonly plan: Plan;
  readonly clients: SimulatedProcess;
  readonly sender: Sender;
  readonly subscribers: Subscriber[] = [];
  readonly roles = new Map<string, RunningRole | Pod>();
  /** The open connections of clients, and whose they are. */
  readonly sockets = new Map<SimulatedSocket, string>();
  readonly trace: (text: string) => void;
  readonly inflict: (fault: Fault, process: SimulatedProcess) => void;
  lateMessages = 0;
  readonly #random: Random;
  readonly #ids: Random;
  readonly #runWatch: RunWatch;
  #words = 0;

  constructor(
    seed: number,
    plan: Plan,
    options: {
      trace: ((text: string) => void) | null;
      inflict: (world: World, fault: Fault, process: SimulatedProcess) => void;
    },
  ) {
    this.plan = plan;
    this.#random = createRandom(seed);
    this.#ids = this.#random.fork('ids');
    const { trace } = options;
    this.trace =
      trace === null ? () => undefined : (text) => trace(`${this.scheduler.nowMs.toFixed(1).padStart(9)} ${text}`);
    this.inflict = (fault, process) => options.inflict(this, fault, process);
    this.places = new FaultPlaces(plan.faults);
    this.memory = new MemoryServer({
      partitions: plan.settings.partitions,
      retention: { count: plan.settings.retentionCount, ageMs: dayMs, bytes: 2 ** 30 },
      nowMs: () => Math.floor(calendarStartMs + this.scheduler.nowMs),
    });
    this.memory.onAppend = (records) => this.history.noteAppend(records, this.scheduler.nowMs);
    this.memory.onTrim = (records) => this.history.noteTrim(records);
    this.#runWatch = new RunWatch(this.database, (misstep) => this.#noteMisstep(misstep));
    this.memory.onSettle = (guards) => this.#runWatch.noteSettled(guards);
    this.database.onPull = (run, document) => this.#runWatch.notePull(run, document);
    this.database.onEffect = (run, document, entries) => {
      this.history.noteEffect(document.widget.id, entries);
      if (run !== null) this.#runWatch.noteEffect(run, document);
    };
    this.scheduler.onTurnEnd = (nowMs) => {
      for (const role of this.roles.values()) if ('look' in role) role.look(nowMs);
    };
    this.database.refusePayloads('outbox', poisonWord);
    this.clients = this.#createProcess('clients');
    this.sender = new Sender(this);
  }

  start(): void {
    const { pods, workers } = this.plan.settings;
    for (const name of [...namesOf('pod', pods), ...namesOf('worker', workers)]) this.startProcess(name);
  }

  /** Starts a process under this name, in the place of the one that was. */
  startProcess(name: string): void {
    this.trace(`${name}: starts`);
    const process = this.#createProcess(name);
    const unwatched = openSimulatedPorts({
      database: this.database,
      memory: this.memory,
      links: { database: this.#link(process, 'database'), memory: this.#link(process, 'memory') },
      clock: process.clock,
      createWord: () => {
        this.#words += 1;
        return `w${this.#words.toString(36)}`;
      },
      lockDurationMs,
      stalledIntervalMs,
      onWarning: (message) => this.trace(`${name}: ${message}`),
    });
    const ports = this.#runWatch.over(unwatched, process.clock);
    process.deliver(() => {
      if (name.startsWith('worker')) {
        this.roles.set(name, startWorker(process, ports, this.trace));
        return;
      }
      const { settings } = this.plan;
      const createUuid = () => this.createUuid();
      const noteMisstep = (misstep: string) => this.#noteMisstep(misstep);
      this.roles.set(name, startPod({ process, ports, settings, createUuid, noteMisstep, trace: this.trace }));
    });
  }

  /** The process is gone, and so are the connections to it. */
  killProcess(name: string): void {
    this.roles.get(name)?.process.kill();
    for (const [socket, podName] of [...this.sockets]) if (podName === name) socket.breakOff();
  }

  /** One more client comes. */
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
    return this.clients.random.pick(namesOf('pod', this.plan.settings.pods));
  }

  /** A client asks a pod, and waits for the answer as long as its patience lasts. */
  request<T>(podName: string, work: (pod: Pod) => Promise<T>): Promise<RequestOutcome<T>> {
    const { clients } = this;
    const delay = () => latencyMs(clients.random);
    return new Promise((resolve) => {
      const patience = clients.after(clientPatienceMs, () => resolve({ status: 'unknown' }));
      const answer = (outcome: RequestOutcome<T>) => {
        clients.after(delay(), () => {
          patience.isCancelled = true;
          resolve(outcome);
        });
      };
      this.scheduler.after(delay(), () => {
        const pod = this.roles.get(podName) as Pod | undefined;
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

  #noteMisstep(misstep: string): void {
    this.trace(`misstep: ${misstep}`);
    this.history.missteps.add(misstep);
  }

  #createProcess(name: string): SimulatedProcess {
    this.#words += 1;
    return new SimulatedProcess(name, {
      scheduler: this.scheduler,
      running: this.running,
      random: this.#random.fork(`${name} ${this.#words}`),
      clockAheadMs: this.plan.settings.clockAheadMs[name] ?? 0,
    });
  }

  #link(process: SimulatedProcess, server: 'database' | 'memory') {
    return createSimulatedLink({
      scheduler: this.scheduler,
      process,
      server: this.servers[server],
      places: this.places,
      inflict: this.inflict,
      trace: this.trace,
      onLate: (change) => {
        this.lateMessages += change;
      },
    });
  }
}
