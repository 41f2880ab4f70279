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
      link.call('removePublished', runDeadlineMs, async (ask) => {
        let matched = 0;
        for (const one of published) if (await ask(() => pullOne(database, run, one))) matched += 1;
        if (matched === published.length) return { superseded: [] };
        const ids = published.map(({ widgetId }) => widgetId);
        return { superseded: await ask(() => ids.filter((id) => database.widgets.get(id)?.fence !== run)) };
      }),
    findOverdue: (before, limit, from) =>
      link.call('findOverdue', requestDeadlineMs, (ask) =>
        ask(() => firstWidgets(database, (since) => since < before, limit, from)),
      ),
    findFutureDated: (after, limit, from) =>
      link.call('findFutureDated', requestDeadlineMs, (ask) =>
        ask(() => firstWidgets(database, (since) => since > after, limit, from)),
      ),
  };
}

function pullOne(database: Database, run: number, { widgetId, version }: PublishedThrough): boolean {
  const document = database.widgets.get(widgetId);
  if (document === undefined) return false;
  if (document.fence !== run) return false;
  document.outbox = document.outbox.filter(({ after }) => after.version > version);
  database.onPull(run, document);
  return true;
}

function firstWidgets(
  database: Database,
  isWanted: (since: Date) => boolean,
  limit: number,
  from: OutboxScanCursor | undefined,
): UnpublishedWidget[] {
  const isBehind = ({ widgetId, since }: UnpublishedWidget) =>
    from === undefined || (since >= from.since && !from.widgetIds.includes(widgetId));
  return database
    .outboxes()
    .map((document) => ({ widgetId: document.widget.id, since: oldestReceipt(document) }))
    .filter((one) => isWanted(one.since) && isBehind(one))
    .sort((a, b) => a.since.getTime() - b.since.getTime())
    .slice(0, limit);
}

function oldestReceipt({ outbox }: WidgetDocument): Date {
  return new Date(Math.min(...outbox.map(({ receivedAt }) => receivedAt.getTime())));
}
