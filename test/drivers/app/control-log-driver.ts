import { randomUUID } from 'node:crypto';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';

/** Opens a tail at the end of the log and reads once, so that it is certain to have missed nothing. */
export async function openTailAtEnd(log: Pick<ControlLog, 'openTail'>): Promise<ControlTail> {
  const tail = log.openTail();
  await tail.next();
  return tail;
}

/** Entries whose ids carry their number, in order. */
export function buildNumberedEntries(count: number): ControlEntry[] {
  const run = randomUUID();
  return Array.from({ length: count }, (_, n) => ({ kind: 'subscription', id: `${run} ${n}`, change: 'changed' }));
}
