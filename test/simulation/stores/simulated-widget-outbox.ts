import type {
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-effects.ts';
import { type Database, requestDeadlineMs, runDeadlineMs, type WidgetDocument } from './database.ts';
import type { Link } from './link.ts';

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
