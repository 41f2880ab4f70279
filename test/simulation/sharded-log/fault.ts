import type { Random } from '../engine/random.ts';
import type { Shard } from './shard.ts';

/** A fault of one node, or its end. */
export interface Fault {
  readonly text: string;
  /** Whether events are dropped from the log. */
  readonly isLoss: boolean;
  readonly apply: (shard: Shard, newEpoch: () => string) => void;
}

/** Draws a fault. All of them end when the simulation heals, but what is lost stays lost. */
export function drawFault(random: Random): Fault {
  const roll = random.next();
  const count = random.whole(1, 3);
  const kept = random.whole(0, 4);
  if (roll < 0.13) return { text: 'is unreachable', isLoss: false, apply: (shard) => setReachable(shard, false) };
  if (roll < 0.4) return { text: 'is reachable', isLoss: false, apply: (shard) => setReachable(shard, true) };
  if (roll < 0.46) return { text: 'is slow', isLoss: false, apply: (shard) => setSlow(shard, true) };
  if (roll < 0.52) return { text: 'is fast', isLoss: false, apply: (shard) => setSlow(shard, false) };
  if (roll < 0.67) return { text: `keeps ${kept} entries`, isLoss: true, apply: (shard) => shard.trim(kept) };
  if (roll < 0.9) {
    return { text: `loses its newest ${count} entries`, isLoss: true, apply: (shard) => shard.loseTail(count) };
  }
  return { text: 'comes back empty', isLoss: true, apply: (shard, newEpoch) => shard.startEpoch(newEpoch()) };
}

/** Ends the faults that can end. */
export function heal(shard: Shard): void {
  setReachable(shard, true);
  setSlow(shard, false);
}

function setReachable(shard: Shard, isReachable: boolean): void {
  shard.isReachable = isReachable;
}

function setSlow(shard: Shard, isSlow: boolean): void {
  shard.isSlow = isSlow;
}
