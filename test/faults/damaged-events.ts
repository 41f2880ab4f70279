import { DatabaseSync } from 'node:sqlite';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { Redis } from 'ioredis';
import type { TestBackend } from '../drivers/app/test-backend.ts';
import { findEventsRedis } from '../drivers/cluster/test-redis.ts';

/** A change of one stored event. No version of the service writes what it leaves. */
export const eventDamages = {
  'is missing': null,
  'has no event as its JSON': { json: '' },
  'has JSON of two lines': { json: '{"id":"x",\n"data":{}}' },
  'has a type of two lines': { type: 'widget.updated\ndata: {}' },
  'has labels that are no list': { labels: '{"one":1}' },
  'has labels that are no JSON': { labels: '[' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>> | null>>;

/** The fields of an entry in Redis (`toEntryFields`). */
const fields: Readonly<Record<string, string>> = { json: 'd', type: 't', labels: 'l' };

/** Damages the event with this number in its epoch. Reopens the backend: an embedded one keeps new events in memory. */
export async function damageEvent(testBackend: TestBackend, seq: number, damage: keyof typeof eventDamages) {
  const { place } = testBackend;
  if (place === undefined) throw new Error('simulated events cannot be damaged');
  if ('file' in place) damageInSqlite(place.file, seq, eventDamages[damage]);
  else await damageInRedis(place.database, seq, eventDamages[damage]);
  await testBackend.reopen();
}

function damageInSqlite(file: string, seq: number, changed: Readonly<Record<string, string>> | null): void {
  const db = new DatabaseSync(file);
  if (changed === null) db.prepare('DELETE FROM events WHERE seq = ?').run(seq);
  for (const [column, value] of Object.entries(changed ?? {})) {
    db.prepare(`UPDATE events SET ${column} = ? WHERE seq = ?`).run(value, seq);
  }
  db.close();
}

/** No command changes an entry of a stream, so the whole stream is written again. */
async function damageInRedis(prefix: string, seq: number, changed: Readonly<Record<string, string>> | null) {
  const redis = new Redis(findEventsRedis().operatorUrl);
  const { log } = redisKeys(prefix);
  const entries = await redis.xrange(log, '-', '+');
  const transaction = redis.multi().del(log);
  for (const [index, [id, values]] of entries.entries()) {
    const isDamaged = index === seq - 1;
    if (isDamaged && changed === null) continue;
    const extra = Object.entries(isDamaged ? (changed ?? {}) : {}).flatMap(([name, value]) => [
      fields[name] ?? '',
      value,
    ]);
    transaction.xadd(log, id, ...values, ...extra);
  }
  await transaction.exec();
  redis.disconnect();
}

/** Adds an entry at the end of the log, as somebody by hand. Only Redis gives it a place there. */
export async function addForeignEntry({ place }: TestBackend): Promise<void> {
  if (place === undefined || 'file' in place) throw new Error('only a log in Redis can have an entry of others');
  const redis = new Redis(findEventsRedis().operatorUrl);
  await redis.xadd(redisKeys(place.database).log, '*', 'hello', 'world');
  redis.disconnect();
}
