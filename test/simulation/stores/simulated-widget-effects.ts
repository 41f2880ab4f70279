import type { UnstorableItem } from '@widget-service/shared/domain/errors.ts';
import type { WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import { type Database, rejection, runDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

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
