import { randomUUID } from 'node:crypto';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';

/** A tail that stands at the end of the log and knows that it has missed nothing. */
export async function beginTail(log: Pick<ControlLog, 'openTail'>): Promise<ControlTail> {
  const tail = log.openTail();
  await tail.next();
  return tail;
}

export function numberedEntries(count: number): ControlEntry[] {
  const run = randomUUID();
  return Array.from({ length: count }, (_, n) => ({ kind: 'subscription', id: `${run} ${n}`, change: 'changed' }));
}
