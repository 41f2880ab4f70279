import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { deriveEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { LogAppend } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databaseFileName } from './open-database.ts';
import { openEmbedded } from './open-embedded.ts';

const start = new Date('2026-03-01T10:00:00.000Z');
const hourMs = 3_600_000;
const retention = { count: 1000, ageMs: 24 * hourMs, bytes: 1e6 };
const settings = { EVENT_RETENTION_BYTES: 1e6, DELIVERY_RETENTION_MS: hourMs };

function anAppend(eventId: string): LogAppend {
  const withoutWidget = { widgetId: null, state: null, stateBefore: null, labels: null };
  return { event: { eventId, type: 'widget.created', ...withoutWidget, json: '{}' }, mark: { kind: 'event', eventId } };
}

const integrationId = '0197a000-0000-7000-8000-00000000000f';

/** The event id of the hook with this name. */
const idOf = (value: string) => deriveEventId(integrationId, { kind: 'webhook-id', value });

function aDelivery(name: string): Delivery {
  const fields = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', widgetId: null, payload: null } as const;
  return { eventId: idOf(name), integrationId, ...fields, receivedAt: start, redrive: false };
}

describe('openEmbedded', () => {
  let dataDir: string;
  let now: Date;
  let backend: Backend;
  const open = () => openEmbedded({ ...settings, DATA_DIR: dataDir, retention, now: () => now });
  const advanceClock = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'widget-service-embedded-'));
    now = start;
    backend = await open();
  });
  afterEach(async () => {
    await backend.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('removes sessions when they expire', async () => {
    const ids = { id: idOf('session'), userId: idOf('user') };
    const session = { ...ids, device: null, address: null, createdAt: start, lastSeenAt: start };
    await backend.sessions.insert({ ...session, digest: 'expired', expiresAt: start });
    await backend.sessions.insert({ ...session, digest: 'live', expiresAt: new Date(start.getTime() + 1) });
    await backend.removeExpired(start);
    expect(await backend.sessions.get('expired')).toBeNull();
    expect(await backend.sessions.get('live')).not.toBeNull();
  });

  test('removes ledger rows that were published or discarded longer ago than the retention, and no others', async () => {
    const deliveries = ['old', 'young', 'received', 'dead', 'old discarded', 'young discarded'].map(aDelivery);
    await backend.ledger.register(deliveries);
    await backend.ledger.markPublished([{ eventId: idOf('old'), position: null, effect: null }], start);
    await backend.ledger.markPublished(
      [{ eventId: idOf('young'), position: null, effect: null }],
      new Date(start.getTime() + 2),
    );
    for (const name of ['dead', 'old discarded', 'young discarded']) {
      await backend.ledger.markDead(aDelivery(name), 'store-refused');
    }
    await backend.ledger.discard(integrationId, idOf('old discarded'), start);
    await backend.ledger.discard(integrationId, idOf('young discarded'), new Date(start.getTime() + 2));
    await backend.removeExpired(new Date(start.getTime() + hourMs + 1));
    const rows = await Promise.all(deliveries.map(({ eventId }) => backend.ledger.get(eventId)));
    expect(rows.map((row) => row?.eventId ?? null)).toEqual([
      null,
      idOf('young'),
      idOf('received'),
      idOf('dead'),
      null,
      idOf('young discarded'),
    ]);
  });

  test('removes more rows than fit into one batch', async () => {
    const deliveries = Array.from({ length: 1201 }, (_, n) => aDelivery(`e${n}`));
    await backend.ledger.register(deliveries);
    await backend.ledger.markPublished(
      deliveries.map(({ eventId }) => ({ eventId, position: null, effect: null })),
      start,
    );
    await backend.removeExpired(new Date(start.getTime() + hourMs + 1));
    expect(await backend.ledger.register(deliveries)).toEqual({ duplicates: [], unstorable: [] });
    expect(await backend.ledger.get(idOf('e1200'))).toMatchObject({ attempts: 1 });
  });

  test('keeps a dedupe mark for an hour after expireMarks, and every other mark forever', async () => {
    const [expiring, lasting] = [anAppend('expiring'), anAppend('lasting')];
    await backend.eventLog.append(1, null, [expiring, lasting]);
    await backend.eventLog.expireMarks([expiring.mark], 1);
    const appendAgain = async () => {
      await backend.eventLog.trim(null);
      const { positions } = await backend.eventLog.append(1, null, [expiring, lasting]);
      return positions.map((position) => position !== null);
    };
    advanceClock(hourMs - 1);
    expect(await appendAgain()).toEqual([false, false]);
    advanceClock(1);
    expect(await appendAgain()).toEqual([true, false]);
  });

  test('removes dedupe marks that have expired: the file would grow for ever', async () => {
    const [expiring, lasting] = [anAppend('expiring'), anAppend('lasting')];
    await backend.eventLog.append(1, null, [expiring, lasting]);
    await backend.eventLog.expireMarks([expiring.mark], 1);
    await backend.removeExpired(new Date(start.getTime() + hourMs));
    const reader = new DatabaseSync(join(dataDir, databaseFileName), { readOnly: true });
    const rows = reader.prepare('SELECT event_id FROM appended_events').all();
    reader.close();
    expect(rows.map((row) => row.event_id)).toEqual(['lasting']);
  });

  test('gives later events no earlier time when the clock is set back', async () => {
    const first = await backend.eventLog.append(1, null, [anAppend('a')]);
    advanceClock(-hourMs);
    const second = await backend.eventLog.append(1, first.last, [anAppend('b')]);
    expect(second.last).toMatchObject({ ms: start.getTime(), seq: first.last.seq + 1 });
  });

  test('drops events over the retained count during appends', async () => {
    let recorded: ComparablePosition | null = null;
    for (let n = 0; n < 12; n += 1) {
      const events = Array.from({ length: 100 }, (_, m) => anAppend(`${n}-${m}`));
      recorded = (await backend.eventLog.append(1, recorded, events)).last;
    }
    const extent = (await backend.eventLog.inspect(null))?.extent;
    expect((extent?.last.seq ?? 0) - (extent?.oldest.seq ?? 0)).toBe(retention.count);
  });

  test('keeps its epoch and trims by retention, whatever position is said to be recorded', async () => {
    const first = await backend.eventLog.append(1, null, [anAppend('a')]);
    const unknown = { epoch: 'unknown', epochRun: 9, ms: first.last.ms + 1, seq: 9 };
    const second = await backend.eventLog.append(2, unknown, [anAppend('b')]);
    const last = { ...first.last, seq: first.last.seq + 1 };
    expect(second).toEqual({ positions: [expect.objectContaining({ seq: last.seq })], last, startedNewEpoch: false });
    advanceClock(retention.ageMs + 1);
    await backend.eventLog.trim(unknown);
    expect((await backend.eventLog.inspect(null))?.extent.oldest.seq).toBe(last.seq);
  });
});
