import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import {
  type DeadReason,
  type DeliveryFilter,
  type DeliveryLedger,
  isDuplicate,
  type LedgerRow,
  type RecordedDelivery,
} from '@widget-service/shared/ports/delivery-ledger.ts';
import { type Database, requestDeadlineMs, runDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

/** As on MongoDB: rows are inserted one by one, then those that were there are read, then both kinds are counted. */
export function createSimulatedDeliveryLedger(database: Database, link: Link): DeliveryLedger {
  const { ledger } = database;
  return {
    register: (deliveries) =>
      link.call('register', runDeadlineMs, async (ask) => {
        const known: Delivery[] = [];
        const unstorable: string[] = [];
        for (const delivery of deliveries) {
          const outcome = await ask(() => insertReceived(database, delivery));
          if (outcome === 'known') known.push(delivery);
          if (outcome === 'unstorable') unstorable.push(delivery.eventId);
        }
        if (known.length === 0) return { duplicates: [], unstorable };
        const rows = await ask(() => known.map(({ eventId }) => ledger.get(eventId) as LedgerRow));
        const duplicates = known.flatMap((each, at) => (isDuplicate(each, rows[at] as LedgerRow) ? each.eventId : []));
        await ask(() => {
          for (const row of rows) countKnown(ledger, row, duplicates.includes(row.eventId));
        });
        return { duplicates, unstorable };
      }),
    markPublished: (rows, publishedAt) =>
      link.call('markPublished', runDeadlineMs, async (ask) => {
        for (const { eventId, position } of rows) {
          const published = { state: 'published', reason: null, publishedAt, position } as const;
          await ask(() => change(ledger, eventId, (row) => (row.state === 'published' ? {} : published)));
        }
      }),
    markDead: (delivery, reason) =>
      link.call('markDead', runDeadlineMs, (ask) => ask(() => markDead(database, delivery, reason))),
    get: (eventId) => link.call('getDelivery', requestDeadlineMs, (ask) => ask(() => ledger.get(eventId) ?? null)),
    list: (filter, { offset, limit }) =>
      link.call('listDeliveries', requestDeadlineMs, (ask) =>
        ask(() =>
          matching(ledger, filter)
            .slice(offset, offset + limit)
            .map(({ payload: _, ...row }) => row),
        ),
      ),
    count: (filter, atMost) =>
      link.call('countDeliveries', requestDeadlineMs, (ask) =>
        ask(() => Math.min(atMost, matching(ledger, filter).length)),
      ),
  };
}

type Ledger = Database['ledger'];

function insertReceived(database: Database, delivery: Delivery): 'inserted' | 'known' | 'unstorable' {
  if (database.ledger.has(delivery.eventId)) return 'known';
  if (!database.accepts('ledger', delivery.payload)) return 'unstorable';
  database.ledger.set(delivery.eventId, { ...newRow(delivery), attempts: 1 });
  return 'inserted';
}

/** `seen`: the row when it was looked at. What others made of it since then stands. */
function countKnown(ledger: Ledger, seen: LedgerRow, isRepeated: boolean): void {
  change(ledger, seen.eventId, (row) => {
    if (isRepeated) return { duplicates: row.duplicates + 1 };
    const isAsSeen = row.state === seen.state && (row.state === 'received' || row.attempts === seen.attempts);
    return isAsSeen ? { state: 'received', reason: null, attempts: row.attempts + 1 } : {};
  });
}

function markDead(database: Database, delivery: RecordedDelivery, reason: DeadReason): void {
  database.checkAccepted('ledger', delivery.payload);
  const row = database.ledger.get(delivery.eventId);
  if (row?.state === 'published') return;
  database.ledger.set(delivery.eventId, { ...newRow(delivery), ...countsOf(row), state: 'dead', reason });
}

function countsOf(row: LedgerRow | undefined): Partial<LedgerRow> {
  return row === undefined ? {} : { attempts: row.attempts, duplicates: row.duplicates };
}

function newRow({ redrive: _, ...delivery }: RecordedDelivery & { readonly redrive?: boolean }): LedgerRow {
  const nothingYet = { attempts: 0, duplicates: 0, reason: null, publishedAt: null, position: null };
  return { ...delivery, state: 'received', ...nothingYet };
}

function change(ledger: Ledger, eventId: string, by: (row: LedgerRow) => Partial<LedgerRow>): void {
  const row = ledger.get(eventId);
  if (row !== undefined) ledger.set(eventId, { ...row, ...by(row) });
}

function matching(ledger: Ledger, { integrationId, state }: DeliveryFilter): LedgerRow[] {
  return [...ledger.values()]
    .filter((row) => row.integrationId === integrationId && (state === null || row.state === state))
    .sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || (a.eventId < b.eventId ? 1 : -1));
}
