import type { IdempotencyRecord } from '@widget-service/shared/domain/idempotent-create.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type {
  InsertOutcome,
  WidgetCreation,
  WidgetFilter,
  WidgetStore,
} from '@widget-service/shared/ports/widget-store.ts';
import { type Database, requestDeadlineMs, type WidgetDocument } from './database.ts';
import type { Link } from './link.ts';

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
