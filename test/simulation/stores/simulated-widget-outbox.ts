import type { PublishedThrough, WidgetOutbox } from '@widget-service/shared/ports/widget-outbox.ts';
import { type Database, requestDeadlineMs, runDeadlineMs, type WidgetDocument } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedWidgetOutbox(database: Database, link: Link): WidgetOutbox {
  return {
    pull: (run, published) =>
      link.call('pull', runDeadlineMs, async (ask) => {
        let matched = 0;
        for (const one of published) if (await ask(() => pullOne(database, run, one))) matched += 1;
        if (matched === published.length) return { refused: [] };
        const ids = published.map(({ widgetId }) => widgetId);
        return { refused: await ask(() => ids.filter((id) => database.widgets.get(id)?.fence !== run)) };
      }),
    findStale: (before, limit) =>
      link.call('findStale', requestDeadlineMs, (ask) =>
        ask(() => firstWidgets(database, (sinceMs) => sinceMs < before.getTime(), limit)),
      ),
    findAhead: (after, limit) =>
      link.call('findAhead', requestDeadlineMs, (ask) =>
        ask(() => firstWidgets(database, (sinceMs) => sinceMs > after.getTime(), limit)),
      ),
  };
}

function pullOne(database: Database, run: number, { widgetId, version }: PublishedThrough): boolean {
  const document = database.widgets.get(widgetId);
  if (document === undefined) return false;
  if (document.fence !== run) return false;
  document.outbox = document.outbox.filter(({ after }) => after.version > version);
  return true;
}

function firstWidgets(database: Database, isWanted: (sinceMs: number) => boolean, limit: number): string[] {
  return database
    .outboxes()
    .map((document) => ({ id: document.widget.id, sinceMs: oldestReceiptMs(document) }))
    .filter(({ sinceMs }) => isWanted(sinceMs))
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .slice(0, limit)
    .map(({ id }) => id);
}

function oldestReceiptMs({ outbox }: WidgetDocument): number {
  return Math.min(...outbox.map(({ receivedAt }) => receivedAt.getTime()));
}
