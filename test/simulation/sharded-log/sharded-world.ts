import type { Random } from '../engine/random.ts';
import { drawFault, heal } from './fault.ts';
import type { Rules } from './rules.ts';
import { ShardedClient } from './sharded-client.ts';
import { isSealed, ShardedLog } from './sharded-log.ts';
import { ShardedPod } from './sharded-pod.ts';
import { stepCount } from './shrink-steps.ts';

/** More than enough steps to drain everything; reaching it means that something never ends. */
const maxHealingSteps = 5_000;
const widgets = 5;

export interface ShardedResult {
  readonly violations: readonly string[];
  /** How many events were appended. */
  readonly events: number;
  /** What each step did. Empty unless it was asked for. */
  readonly trace: readonly string[];
}

/** The log, its workers, pods and subscribers, and what can happen to them in one step. */
export class ShardedWorld {
  readonly #rules: Rules;
  readonly #log: ShardedLog;
  readonly #pods: ShardedPod[];
  readonly #clients: ShardedClient[];
  /** Whether nodes lose and trim events. */
  readonly #hasLosses: boolean;
  /** The share of steps that are faults, restarts and changes of the number of shards: calm seeds and wild ones. */
  readonly #rareShare: number;
  /** No widget changes after this step: only then can the loss of a quiet shard stay unnoticed. */
  readonly #lastChangeAtStep: number;
  readonly #isTraced: boolean;
  readonly #trace: string[] = [];

  constructor(random: Random, rules: Rules, isTraced: boolean) {
    this.#rules = rules;
    this.#isTraced = isTraced;
    this.#hasLosses = random.chance(0.85);
    this.#lastChangeAtStep = random.whole(stepCount >> 3, stepCount);
    this.#rareShare = random.pick([0.03, 0.06, 0.12, 0.2]);
    // The log of a version without shards is a list of one shard.
    const hasOldPods = random.chance(0.3);
    const shards = hasOldPods ? 1 : random.whole(1, 4);
    this.#log = new ShardedLog(rules, shards);
    this.#pods = Array.from({ length: random.whole(1, 3) }, () => new ShardedPod(this.#log, rules, hasOldPods));
    const now = () => this.#log.step;
    this.#clients = Array.from({ length: random.whole(1, 4) }, (_, index) => new ShardedClient(`client ${index}`, now));
    this.#note(`${shards} shards, ${this.#pods.length} pods${hasOldPods ? ' of the old version' : ''}`);
  }

  advance(): void {
    this.#log.step += 1;
  }

  takeStep(random: Random): void {
    if (random.chance(this.#rareShare)) {
      this.#takeRareStep(random);
      return;
    }
    const roll = random.next();
    const choice = random.whole(0, 15);
    const widget = random.whole(0, widgets - 1);
    if (roll < 0.17) this.#change(widget);
    else if (roll < 0.38) this.#publish(widget, random.chance(0.1));
    else if (roll < 0.55) this.#do(`widget ${widget} is recorded`, () => this.#log.confirm(widget));
    else if (roll < 0.75) this.#withPod(random, `reads (${choice})`, (pod) => pod.pull(choice));
    else if (roll < 0.86) this.#withPod(random, `replays (${choice})`, (pod) => pod.replay(choice));
    else if (roll < 0.94) this.#changeConnection(random, roll < 0.92);
    else if (roll < 0.95) this.#do('a worker checks quiet shards', () => this.#log.checkQuietShards());
    else this.#do(`a worker seals (${choice})`, () => this.#log.seal(choice));
  }

  /** Faults, restarts, and changes of the number of shards. */
  #takeRareStep(random: Random): void {
    const roll = random.next();
    if (roll < 0.6) this.#applyFault(random);
    else if (roll < 0.72) this.#restartPod(random.whole(0, this.#pods.length - 1));
    else this.#changeShards(random.whole(1, 4));
  }

  #change(widget: number): void {
    if (this.#log.step > this.#lastChangeAtStep) return;
    this.#do(`widget ${widget} changes`, () => this.#log.change(widget));
  }

  #publish(widget: number, isStale: boolean): void {
    const by = isStale ? ' by a worker that knows only the old list' : '';
    this.#do(`widget ${widget} is appended${by}`, () => this.#log.publish(widget, isStale));
  }

  #withPod(random: Random, text: string, act: (pod: ShardedPod) => void): void {
    const index = random.whole(0, this.#pods.length - 1);
    this.#do(`pod ${index} ${text}`, () => act(this.#pods[index] as ShardedPod));
  }

  #changeConnection(random: Random, connects: boolean): void {
    const client = random.whole(0, this.#clients.length - 1);
    const pod = random.whole(0, this.#pods.length - 1);
    const text = connects ? `client ${client} connects to pod ${pod}` : `client ${client} disconnects`;
    this.#do(text, () => {
      if (connects) this.#clients[client]?.connect(this.#pods[pod] as ShardedPod);
      else this.#clients[client]?.disconnect();
    });
  }

  #applyFault(random: Random): void {
    const fault = drawFault(random);
    const list = random.pick(this.#log.lists);
    const index = random.whole(0, list.shards.length - 1);
    const shard = list.shards[index];
    if (shard === undefined || (fault.isLoss && !this.#hasLosses)) return;
    this.#do(`shard ${index} of list ${list.number} ${fault.text}`, () =>
      fault.apply(shard, () => this.#log.nextEpoch()),
    );
  }

  /** Replaces a pod by one of the new version. */
  #restartPod(index: number): void {
    this.#do(`pod ${index} restarts`, () => {
      this.#pods[index]?.stop();
      this.#pods[index] = new ShardedPod(this.#log, this.#rules, false);
    });
  }

  #changeShards(shards: number): void {
    const hasOldPods = this.#pods.some(({ isOld }) => isOld);
    const previous = this.#log.lists.at(-2);
    const isBusy = this.#log.lists.length > 2 || (previous !== undefined && !isSealed(previous));
    if (isBusy || (hasOldPods && this.#rules.reshardsWithoutOldPods)) return;
    this.#do(`a new list of ${shards} shards`, () => this.#log.addList(shards));
  }

  #do(text: string, act: () => void): void {
    this.#note(text);
    act();
  }

  #note(text: string): void {
    if (this.#isTraced) this.#trace.push(`${this.#log.step} ${text}`);
  }

  healAndCheck(): ShardedResult {
    for (const { shards } of this.#log.lists) for (const shard of shards) heal(shard);
    let healing = 0;
    // At least one step: a worker checks quiet shards from time to time, so also after the last change.
    do {
      this.#takeHealingStep(healing);
      healing += 1;
    } while (healing < maxHealingSteps && !this.#isDone());
    const violations = this.#clients.flatMap((client) => client.check(this.#log.appended, this.#hasLosses));
    if (healing === maxHealingSteps) violations.push('after all faults ended, something never arrives');
    return { violations, events: this.#log.appended.length, trace: this.#trace };
  }

  #takeHealingStep(healing: number): void {
    this.#log.step += 1;
    this.#log.seal(healing);
    this.#log.checkQuietShards();
    const widget = healing % widgets;
    this.#log.publish(widget, false);
    this.#log.confirm(widget);
    for (const pod of this.#pods) {
      pod.pull(healing);
      pod.replay(healing);
    }
    for (const [index, client] of this.#clients.entries()) {
      client.connect(this.#pods[(healing + index) % this.#pods.length] as ShardedPod);
    }
  }

  #isDone(): boolean {
    const isPublished = !this.#log.hasOutboxes;
    const areConnected = this.#clients.every(({ isConnected }) => isConnected);
    return isPublished && areConnected && this.#pods.every((pod) => pod.isAtEnd());
  }
}
