import { createRandom, type Random } from '../engine/random.ts';
import type { Rules } from './rules.ts';
import { ShardedClient } from './sharded-client.ts';
import { isSealed, ShardedLog } from './sharded-log.ts';
import { ShardedPod } from './sharded-pod.ts';

export interface ShardedResult {
  readonly violations: readonly string[];
  /** How many events were appended. */
  readonly events: number;
}

const steps = 250;
/** More than enough steps to drain everything; reaching it means that something never ends. */
const maxHealingSteps = 5_000;

/**
 * Simulates one seed: 1 to 4 shards, 1 to 3 pods, 1 to 4 subscribers, 5 widgets, up to two changes of the number of
 * shards, and faults. Then heals everything, and checks what each subscriber got.
 */
export function simulateShardedLog(seed: number, rules: Rules): ShardedResult {
  const world = new ShardedWorld(createRandom(seed), rules);
  for (let step = 0; step < steps; step += 1) world.takeStep();
  return world.healAndCheck();
}

class ShardedWorld {
  readonly #random: Random;
  readonly #rules: Rules;
  readonly #log: ShardedLog;
  readonly #pods: ShardedPod[];
  readonly #clients: ShardedClient[];
  #widgets = 5;

  constructor(random: Random, rules: Rules) {
    this.#random = random;
    this.#rules = rules;
    this.#log = new ShardedLog(rules, random.whole(1, 4));
    const hasOldPods = random.chance(0.3);
    this.#pods = Array.from({ length: random.whole(1, 3) }, () => new ShardedPod(this.#log, rules, hasOldPods));
    const now = () => this.#log.step;
    this.#clients = Array.from({ length: random.whole(1, 4) }, (_, index) => new ShardedClient(`client ${index}`, now));
  }

  takeStep(): void {
    this.#log.step += 1;
    const roll = this.#random.next();
    if (roll < 0.16) this.#log.change(this.#widget());
    else if (roll < 0.36) this.#log.publish(this.#widget(), this.#random.chance(0.1));
    else if (roll < 0.52) this.#log.confirm(this.#widget());
    else if (roll < 0.72) this.#random.pick(this.#pods).pull(this.#random.whole(0, 15));
    else if (roll < 0.82) this.#random.pick(this.#pods).replay(this.#random.whole(0, 15));
    else if (roll < 0.9) this.#random.pick(this.#clients).connect(this.#random.pick(this.#pods));
    else if (roll < 0.92) this.#random.pick(this.#clients).disconnect();
    else if (roll < 0.93) this.#log.checkQuietShards();
    else if (roll < 0.95) this.#log.seal(this.#random.whole(0, 15));
    else this.#takeRareStep();
  }

  /** Faults, restarts, and changes of the number of shards. */
  #takeRareStep(): void {
    const roll = this.#random.next();
    const shard = this.#random.pick(this.#random.pick(this.#log.lists).shards);
    if (roll < 0.15) shard.isReachable = false;
    else if (roll < 0.4) shard.isReachable = true;
    else if (roll < 0.5) shard.trim(this.#random.whole(0, 4));
    else if (roll < 0.6) shard.loseTail(this.#random.whole(1, 3));
    else if (roll < 0.65) shard.startEpoch(this.#log.nextEpoch());
    else if (roll < 0.8) this.#restartPod();
    else this.#changeShards();
  }

  /** Replaces a pod by one of the new version. */
  #restartPod(): void {
    const index = this.#random.whole(0, this.#pods.length - 1);
    this.#pods[index]?.stop();
    this.#pods[index] = new ShardedPod(this.#log, this.#rules, false);
  }

  #changeShards(): void {
    const hasOldPods = this.#pods.some(({ isOld }) => isOld);
    const previous = this.#log.lists.at(-2);
    const isBusy = this.#log.lists.length > 2 || (previous !== undefined && !isSealed(previous));
    if (isBusy || (hasOldPods && this.#rules.reshardsWithoutOldPods)) return;
    this.#log.addList(this.#random.whole(1, 4));
  }

  #widget(): number {
    return this.#random.whole(0, this.#widgets - 1);
  }

  healAndCheck(): ShardedResult {
    for (const { shards } of this.#log.lists) for (const shard of shards) shard.isReachable = true;
    let healing = 0;
    for (; healing < maxHealingSteps && !this.#isDone(); healing += 1) {
      this.#log.step += 1;
      this.#log.seal(healing);
      this.#log.checkQuietShards();
      const widget = healing % this.#widgets;
      this.#log.publish(widget, false);
      this.#log.confirm(widget);
      for (const pod of this.#pods) {
        pod.pull(healing);
        pod.replay(healing);
      }
      for (const [index, client] of this.#clients.entries()) {
        const pod = this.#pods[(healing + index) % this.#pods.length];
        if (pod !== undefined) client.connect(pod);
      }
    }
    const violations = this.#clients.flatMap((client) => client.check(this.#log.appended));
    if (healing === maxHealingSteps) violations.push('after all faults ended, something never arrives');
    return { violations, events: this.#log.appended.length };
  }

  #isDone(): boolean {
    const isPublished = !this.#log.hasOutboxes;
    const areConnected = this.#clients.every(({ isConnected }) => isConnected);
    return isPublished && areConnected && this.#pods.every((pod) => pod.isAtEnd());
  }
}
