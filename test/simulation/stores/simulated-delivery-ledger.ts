import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { UnstorableItem } from '@widget-service/shared/domain/errors.ts';
import {
  type DeadReason,
  type DeliveryFilter,
  type DeliveryLedger,
  isDuplicate,
  type LedgerRow,
  type RecordedDelivery,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { type Database, rejection, requestDeadlineMs, runDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

/** As on MongoDB: inserts row by row, then reads the rows that existed, then updates these. */
export function createSimulatedDeliveryLedger(database: Database, link: Link): DeliveryLedger {
  const { ledger } = database;
  return {
    register: (deliveries) =>
      link.call('register', runDeadlineMs, async (send) => {
        const known: Delivery[] = [];
        const unstorable: UnstorableItem[] = [];
        for (const delivery of deliveries) {
          const outcome = await send(() => insertReceived(database, delivery));
          if (outcome === 'known') known.push(delivery);
          if (outcome === 'unstorable') unstorable.push({ id: delivery.eventId, cause: rejection });
        }
        if (known.length === 0) return { duplicates: [], unstorable };
        const rows = await send(() => known.map(({ eventId }) => ledger.get(eventId) as LedgerRow));
        const duplicates = known.flatMap((delivery, at) =>
          isDuplicate(delivery, rows[at] as LedgerRow) ? delivery.eventId : [],
        );
        const discarded = await send(() =>
          rows.flatMap((row) => {
            const isDuplicateNow = !duplicates.includes(row.eventId) && ledger.get(row.eventId)?.state === 'discarded';
            updateKnown(ledger, row, isDuplicateNow || duplicates.includes(row.eventId));
            return isDuplicateNow ? row.eventId : [];
          }),
        );
        return { duplicates: [...duplicates, ...discarded], unstorable };
      }),
    markPublished: (rows, publishedAt) =>
      link.call('markPublished', runDeadlineMs, async (send) => {
        for (const { eventId, position, effect } of rows) {
          const published = { state: 'published', reason: null, publishedAt, position, effect } as const;
          await send(() => changeRow(ledger, eventId, (row) => (row.state === 'published' ? {} : published)));
        }
      }),
    markDead: (delivery, reason) =>
      link.call('markDead', runDeadlineMs, (send) => send(() => markDead(database, delivery, reason))),
    discard: (integrationId, eventId, discardedAt) =>
      link.call('discard', requestDeadlineMs, (send) =>
        send(() => {
          const row = ledger.get(eventId);
          if (row?.integrationId !== integrationId) return 'unknown';
          if (row.state === 'discarded') return 'discarded-before';
          if (row.state !== 'dead') return 'not-dead';
          changeRow(ledger, eventId, () => ({ state: 'discarded', payload: null }));
          database.discardedAt.set(eventId, discardedAt);
          return 'discarded';
        }),
      ),
    getPayloads: (eventIds, atMostBytes) =>
      link.call('getPayloads', requestDeadlineMs, (send) =>
        send(() => {
          const payloads = eventIds.map((eventId) => [eventId, ledger.get(eventId)?.payload ?? null] as const);
          const isListed = (payload: string | null) => payload !== null && Buffer.byteLength(payload) <= atMostBytes;
          return new Map(payloads.flatMap(([id, payload]) => (isListed(payload) ? [[id, payload as string]] : [])));
        }),
      ),
    get: (eventId) => link.call('getDelivery', requestDeadlineMs, (send) => send(() => ledger.get(eventId) ?? null)),
    list: (filter, { offset, limit }) =>
      link.call('listDeliveries', requestDeadlineMs, (send) =>
        send(() =>
          findMatching(ledger, filter)
            .slice(offset, offset + limit)
            .map(({ payload: _, ...row }) => row),
        ),
      ),
    countDead: (atMost) =>
      link.call('countDead', requestDeadlineMs, (send) =>
        send(() => {
          const dead = [...ledger.values()].filter(({ state }) => state === 'dead').slice(0, atMost);
          return new Map(
            [...Map.groupBy(dead, ({ integrationId }) => integrationId)].map(([id, rows]) => [id, rows.length]),
          );
        }),
      ),
    count: (filter, atMost) =>
      link.call('countDeliveries', requestDeadlineMs, (send) =>
        send(() => Math.min(atMost, findMatching(ledger, filter).length)),
      ),
  };
}

type Ledger = Database['ledger'];

function insertReceived(database: Database, delivery: Delivery): 'inserted' | 'known' | 'unstorable' {
  if (database.ledger.has(delivery.eventId)) return 'known';
  if (!database.canStore('ledger', delivery.payload)) return 'unstorable';
  database.ledger.set(delivery.eventId, { ...createRow(delivery), attempts: 1 });
  return 'inserted';
}

/** `seen` is the row as it was read. A state that another run has set since then stays. */
function updateKnown(ledger: Ledger, seen: LedgerRow, isRepeated: boolean): void {
  changeRow(ledger, seen.eventId, (row) => {
    if (isRepeated) return { duplicates: row.duplicates + 1 };
    const isUnchanged = row.state === seen.state && (row.state === 'received' || row.attempts === seen.attempts);
    return isUnchanged ? { state: 'received', reason: null, attempts: row.attempts + 1 } : {};
  });
}

function markDead(database: Database, delivery: RecordedDelivery, reason: DeadReason): void {
  database.assertStorable('ledger', delivery.payload);
  const row = database.ledger.get(delivery.eventId);
  if (row?.state === 'published' || row?.state === 'discarded') return;
  database.ledger.set(delivery.eventId, { ...createRow(delivery), ...pickCounts(row), state: 'dead', reason });
}

function pickCounts(row: LedgerRow | undefined): Partial<LedgerRow> {
  return row === undefined ? {} : { attempts: row.attempts, duplicates: row.duplicates };
}

function createRow({ redrive: _, ...delivery }: RecordedDelivery & { readonly redrive?: boolean }): LedgerRow {
  const initial = { attempts: 0, duplicates: 0, reason: null, publishedAt: null, position: null, effect: null };
  return { ...delivery, state: 'received', ...initial };
}

function changeRow(ledger: Ledger, eventId: string, by: (row: LedgerRow) => Partial<LedgerRow>): void {
  const row = ledger.get(eventId);
  if (row !== undefined) ledger.set(eventId, { ...row, ...by(row) });
}

function findMatching(ledger: Ledger, filter: DeliveryFilter): LedgerRow[] {
  return [...ledger.values()]
    .filter((row) =>
      'widgetId' in filter
        ? row.widgetId === filter.widgetId
        : (filter.integrationId === null || row.integrationId === filter.integrationId) &&
          (filter.state === null || row.state === filter.state),
    )
    .filter((row) => filter.listedAfter === undefined || compareListed(filter.listedAfter, row) < 0)
    .filter(
      ({ receivedAt }) =>
        (filter.receivedFrom === undefined || receivedAt >= filter.receivedFrom) &&
        (filter.receivedBefore === undefined || receivedAt < filter.receivedBefore),
    )
    .sort(compareListed);
}

type Listed = Pick<LedgerRow, 'receivedAt' | 'eventId'>;

/** Negative if a list shows `a` before `b`. */
function compareListed(a: Listed, b: Listed): number {
  const byTime = b.receivedAt.getTime() - a.receivedAt.getTime();
  if (byTime !== 0 || a.eventId === b.eventId) return byTime;
  return a.eventId < b.eventId ? 1 : -1;
}
