import { createRandom, type Random } from '../engine/random.ts';
import type { Rules } from './rules.ts';
import { type ShardedResult, ShardedWorld } from './sharded-world.ts';
import { stepCount } from './shrink-steps.ts';

/**
 * Simulates one seed: 1 to 4 shards, 1 to 3 pods, 1 to 4 subscribers, 5 widgets, up to two changes of the number of
 * shards, and faults. Then heals everything, and checks what each subscriber got.
 *
 * Each step draws from random numbers of its own. So a step can be left out (`keeps`), and the others still do the same.
 */
export function simulateShardedLog(
  seed: number,
  rules: Rules,
  { keeps = () => true, isTraced = false }: { keeps?: (step: number) => boolean; isTraced?: boolean } = {},
): ShardedResult {
  const random: Random = createRandom(seed);
  const world = new ShardedWorld(random.fork('world'), rules, isTraced);
  for (let step = 1; step <= stepCount; step += 1) {
    world.advance();
    if (keeps(step)) world.takeStep(random.fork(`step ${step}`));
  }
  return world.healAndCheck();
}
