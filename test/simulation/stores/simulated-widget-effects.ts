import type { UnstorableItem } from '@widget-service/shared/domain/errors.ts';
import type { Claim, WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import { type Database, rejection, runDeadlineMs, type WidgetDocument } from './database.ts';
import type { Link, Send } from './link.ts';

/** As on MongoDB, each document is written separately, and other runs may write in between. */
export function createSimulatedWidgetEffects(database: Database, link: Link): WidgetEffects {
  return {
    claim: (run, widgetIds) =>
      link.call('claim', runDeadlineMs, async (send) => {
        for (;;) {
          for (const id of widgetIds) await send(() => raiseFence(database.widgets.get(id), run));
          const read = await send(() => readClaim(database, run, widgetIds));
          if (read !== null) return read;
        }
      }),
    apply: (run, changes) =>
      link.call('apply', runDeadlineMs, async (send) => {
        const missed: WidgetChange[] = [];
        const unstorable: UnstorableItem[] = [];
        for (const change of changes) {
          const outcome = await send(() => write(database, run, change));
          if (outcome === 'unstorable') unstorable.push({ id: change.widgetId, cause: rejection });
          else if (outcome === 'missed') missed.push(change);
        }
        return { superseded: await findUnapplied(database, send, run, missed), unstorable };
      }),
  };
}

function raiseFence(document: WidgetDocument | undefined, run: number): void {
  if (document !== undefined && document.fence < run) document.fence = run;
}

/** Returns null if a widget was created after the fences were raised. */
function readClaim(database: Database, run: number, widgetIds: readonly string[]): Claim | null {
  const documents = widgetIds.flatMap((id) => database.widgets.get(id) ?? []);
  if (documents.some(({ fence }) => fence < run)) return null;
  return {
    claimed: documents.filter(({ fence }) => fence === run).map(({ widget, outbox }) => ({ widget, outbox })),
    superseded: documents.filter(({ fence }) => fence !== run).map(({ widget }) => widget.id),
  };
}

function write(database: Database, run: number, change: WidgetChange): 'written' | 'missed' | 'unstorable' {
  const document = database.widgets.get(change.widgetId);
  if (!change.entries.every(({ payload }) => database.canStore('outbox', payload))) return 'unstorable';
  if (document === undefined) return 'missed';
  if (document.fence !== run || document.widget.version !== change.fromVersion) return 'missed';
  document.widget = { ...document.widget, ...change.after };
  document.outbox = [...document.outbox, ...change.entries];
  database.onEffect(run, document, change.entries);
  return 'written';
}

/**
 * Returns the widgets without their change. A change that was written before, because the command arrived twice, counts
 * as applied.
 */
async function findUnapplied(
  database: Database,
  send: Send,
  run: number,
  missed: readonly WidgetChange[],
): Promise<string[]> {
  if (missed.length === 0) return [];
  return send(() => missed.filter((change) => !isApplied(database, run, change)).map(({ widgetId }) => widgetId));
}

function isApplied(database: Database, run: number, { widgetId, after, entries }: WidgetChange): boolean {
  const document = database.widgets.get(widgetId);
  if (document?.fence !== run || document.widget.version !== after.version) return false;
  const stored = new Set(document.outbox.map(({ eventId }) => eventId));
  return entries.every(({ eventId }) => stored.has(eventId));
}
