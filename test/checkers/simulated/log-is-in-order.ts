import type { World } from '../../simulation/world/world.ts';
import { makeMayFollow, parseVersion } from './lost-versions.ts';

/** C3: in each epoch `seq` rises by exactly one, and the versions of each widget do, except for lost versions. */
export function logIsInOrder({ history }: World): string[] {
  const violations: string[] = [];
  const mayFollow = makeMayFollow(history);
  const seqs = new Map<string, number>();
  const versions = new Map<string, number>();
  for (const { epoch, seq, event } of history.log) {
    const before = seqs.get(epoch);
    if (before !== undefined && seq !== before + 1) violations.push(`C3: log: ${epoch}: ${seq} comes after ${before}`);
    seqs.set(epoch, seq);
    const version = parseVersion(event.json);
    if (event.widgetId === null || version === null) continue;
    const key = `${epoch} ${event.widgetId}`;
    const last = versions.get(key);
    if (last !== undefined && !mayFollow(epoch, event.widgetId, last, version)) {
      violations.push(`C3: log: ${event.widgetId}: version ${version} comes after ${last}`);
    }
    versions.set(key, version);
  }
  return violations;
}
