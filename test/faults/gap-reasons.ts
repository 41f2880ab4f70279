import type { Recording } from '../drivers/recording.ts';

/** Why streams were told, by `stream.gap`, that events are missing: how often each reason was given. */
export function reasonsOfGaps({ streams }: Recording): Partial<Record<string, number>> {
  const reasons: Partial<Record<string, number>> = {};
  for (const { blocks } of streams.flatMap(({ connections }) => connections)) {
    for (const block of blocks) {
      if (block.type !== 'message' || block.name !== 'stream.gap') continue;
      const { reason } = block.data as { reason: string };
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
  }
  return reasons;
}
