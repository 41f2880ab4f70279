import type {
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-outbox.ts';
import { type Database, requestDeadlineMs, runDeadlineMs, type WidgetDocument } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedWidgetOutbox(database: Database, link: Link): WidgetOutbox {
  return {
    removePublished: (run, published) =>
      link.call('removePublished', runDeadlineMs, async (send) => {
        let matched = 0;
        for (const widget of published) if (await send(() => removeEntries(database, run, widget))) matched += 1;
        if (matched === published.length) return { superseded: [] };
        const ids = published.map(({ widgetId }) => widgetId);
        return { superseded: await send(() => ids.filter((id) => database.widgets.get(id)?.fence !== run)) };
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

function removeEntries(database: Database, run: number, { widgetId, version }: PublishedThrough): boolean {
  const document = database.widgets.get(widgetId);
  if (document === undefined) return false;
  if (document.fence !== run) return false;
  document.outbox = document.outbox.filter(({ after }) => after.version > version);
  database.onRemovePublished(run, document);
  return true;
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
