import type { UnstorableItem } from '@widget-service/shared/domain/errors.ts';
import type { IdempotencyRecord } from '@widget-service/shared/domain/idempotent-create.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { QuarantinedText } from '@widget-service/shared/entities/quarantined-text.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type {
  InsertOutcome,
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetChange,
  WidgetCreation,
  WidgetEffects,
  WidgetFilter,
  WidgetOutbox,
  WidgetStore,
} from '@widget-service/shared/ports/widget-store.ts';
import { type Database, rejection, requestDeadlineMs, runDeadlineMs, type WidgetDocument } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedRunRegistry({ runRegistry: registry }: Database, link: Link): RunRegistry {
  return {
    startRun: () =>
      link.call('startRun', runDeadlineMs, (send) =>
        send(() => {
          registry.run += 1;
          return { ...registry };
        }),
      ),
    lastPosition: () => link.call('lastPosition', runDeadlineMs, (send) => send(() => registry.lastPosition)),
    recordPosition: (position, expected) =>
      link.call('recordPosition', runDeadlineMs, (send) =>
        send(() => {
          if (!isSamePosition(expected, registry.lastPosition)) return false;
          registry.lastPosition = position;
          return true;
        }),
      ),
  };
}

function isSamePosition(a: ComparablePosition | null, b: ComparablePosition | null): boolean {
  return a?.epochRun === b?.epochRun && a?.epoch === b?.epoch && a?.ms === b?.ms && a?.seq === b?.seq;
}

/** What the data path and its checkers use of the quarantine. */
export type SimulatedQuarantine = Pick<Collection<QuarantinedText>, 'insert' | 'get' | 'list'>;

export function createSimulatedQuarantine({ quarantine }: Database, link: Link): SimulatedQuarantine {
  const call = <Result>(name: string, work: () => Result) => link.call(name, requestDeadlineMs, (send) => send(work));
  return {
    insert: (text) =>
      call('quarantine', () => {
        if (quarantine.has(text.id)) return false;
        quarantine.set(text.id, text);
        return true;
      }),
    get: (id) => call('getQuarantined', () => quarantine.get(id) ?? null),
    list: (_where, { offset, limit }) =>
      call('listQuarantined', () =>
        [...quarantine.values()]
          .sort((a, b) => b.quarantinedAt.getTime() - a.quarantinedAt.getTime() || (a.id < b.id ? 1 : -1))
          .slice(offset, offset + limit)
          .map((text) => ({ ...text, text: '' })),
      ),
  };
}

/** As on MongoDB, each document is written separately, and other runs may write in between. */
export function createSimulatedWidgetEffects(database: Database, link: Link): WidgetEffects {
  return {
    load: (widgetIds) =>
      link.call('load', runDeadlineMs, (send) =>
        send(() =>
          widgetIds.flatMap((id) => {
            const document = database.widgets.get(id);
            return document === undefined ? [] : [{ widget: document.widget, outbox: document.outbox }];
          }),
        ),
      ),
    apply: (changes) =>
      link.call('apply', runDeadlineMs, async (send) => {
        let superseded = false;
        const unstorable: UnstorableItem[] = [];
        for (const change of changes) {
          const outcome = await send(() => write(database, change));
          if (outcome === 'unstorable') unstorable.push({ id: change.widgetId, cause: rejection });
          else if (outcome === 'superseded') superseded = true;
        }
        return { superseded, unstorable };
      }),
  };
}

function write(database: Database, change: WidgetChange): 'written' | 'superseded' | 'unstorable' {
  const document = database.widgets.get(change.widgetId);
  if (!change.entries.every(({ payload }) => database.canStore('outbox', payload))) return 'unstorable';
  if (document === undefined || document.widget.version !== change.fromVersion) return 'superseded';
  document.widget = { ...document.widget, ...change.after };
  document.outbox = [...document.outbox, ...change.entries];
  database.onEffect(document, change.entries);
  return 'written';
}

export function createSimulatedWidgetOutbox(database: Database, link: Link): WidgetOutbox {
  return {
    removePublished: (published) =>
      link.call('removePublished', runDeadlineMs, async (send) => {
        for (const widget of published) await send(() => removeEntries(database, widget));
      }),
    findOverdue: (before, limit, from) =>
      link.call('findOverdue', requestDeadlineMs, (send) =>
        send(() => findWidgets(database, (since) => since < before, limit, from)),
      ),
    findFutureDated: (after, limit, from) =>
      link.call('findFutureDated', requestDeadlineMs, (send) =>
        send(() => findWidgets(database, (since) => since > after, limit, from)),
      ),
  };
}

function removeEntries(database: Database, { widgetId, version }: PublishedThrough): void {
  const document = database.widgets.get(widgetId);
  if (document !== undefined) document.outbox = document.outbox.filter(({ after }) => after.version > version);
}

function findWidgets(
  database: Database,
  isWanted: (since: Date) => boolean,
  limit: number,
  from: OutboxScanCursor | undefined,
): UnpublishedWidget[] {
  const isAfterCursor = ({ widgetId, since }: UnpublishedWidget) =>
    from === undefined || (since >= from.since && !from.widgetIds.includes(widgetId));
  return database
    .listOutboxes()
    .map((document) => ({ widgetId: document.widget.id, since: findOldestReceipt(document) }))
    .filter((candidate) => isWanted(candidate.since) && isAfterCursor(candidate))
    .sort((a, b) => a.since.getTime() - b.since.getTime())
    .slice(0, limit);
}

function findOldestReceipt({ outbox }: WidgetDocument): Date {
  return new Date(Math.min(...outbox.map(({ receivedAt }) => receivedAt.getTime())));
}

export function createSimulatedWidgetStore(database: Database, link: Link): WidgetStore {
  const findMatching = (filter: WidgetFilter) =>
    [...database.widgets.values()]
      .map(({ widget }) => widget)
      .filter((widget) => matches(widget, filter))
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
  return {
    insertOnce: (creation) =>
      link.call('insertOnce', requestDeadlineMs, async (send) => {
        if (await send(() => insert(database, creation))) return { status: 'created' };
        return send(() => readEarlierOutcome(database, creation));
      }),
    get: (id) => link.call('get', requestDeadlineMs, (send) => send(() => database.widgets.get(id)?.widget ?? null)),
    list: (filter, { offset, limit }) =>
      link.call('list', requestDeadlineMs, (send) => send(() => findMatching(filter).slice(offset, offset + limit))),
    count: (filter, atMost, withinMs = requestDeadlineMs) =>
      link.call('count', withinMs, (send) => send(() => Math.min(atMost, findMatching(filter).length))),
  };
}

/** Returns false if the key or the widget already exists. */
function insert(database: Database, { widget, created, idempotency }: WidgetCreation): boolean {
  const known =
    idempotency === null ? database.widgets.get(widget.id) : database.byIdempotencyKey.get(toKey(idempotency));
  if (known !== undefined) return false;
  const document: WidgetDocument = { widget, idempotency, outbox: [created] };
  database.widgets.set(widget.id, document);
  if (idempotency !== null) database.byIdempotencyKey.set(toKey(idempotency), document);
  database.onEffect(document, [created]);
  return true;
}

function readEarlierOutcome(database: Database, { widget, idempotency }: WidgetCreation): InsertOutcome {
  const known = idempotency === null ? undefined : database.byIdempotencyKey.get(toKey(idempotency));
  if (known === undefined || known.widget.id === widget.id) return { status: 'created' };
  if (known.idempotency?.fingerprint !== idempotency?.fingerprint) return { status: 'conflict' };
  return { status: 'replayed', widgetId: known.widget.id, body: known.idempotency?.body ?? '' };
}

function toKey({ scope, key }: Pick<IdempotencyRecord, 'scope' | 'key'>): string {
  return `${scope}\n${key}`;
}

function matches(widget: Widget, { state, createdAtOrBefore }: WidgetFilter): boolean {
  if (state !== null && widget.state !== state) return false;
  return createdAtOrBefore === null || widget.createdAt <= createdAtOrBefore;
}
