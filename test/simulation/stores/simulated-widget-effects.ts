import type { Claim, WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import { type Database, runDeadlineMs, type WidgetDocument } from './database.ts';
import type { Ask, Link } from './link.ts';

/** As on MongoDB, each document is written for itself, and others may write between two of them. */
export function createSimulatedWidgetEffects(database: Database, link: Link): WidgetEffects {
  return {
    claim: (run, widgetIds) =>
      link.call('claim', runDeadlineMs, async (ask) => {
        for (;;) {
          for (const id of widgetIds) await ask(() => raiseFence(database.widgets.get(id), run));
          const read = await ask(() => readClaim(database, run, widgetIds));
          if (read !== null) return read;
        }
      }),
    apply: (run, changes) =>
      link.call('apply', runDeadlineMs, async (ask) => {
        const missed: WidgetChange[] = [];
        const unstorable: string[] = [];
        for (const change of changes) {
          const outcome = await ask(() => write(database, run, change));
          if (outcome === 'unstorable') unstorable.push(change.widgetId);
          else if (outcome === 'missed') missed.push(change);
        }
        return { superseded: await notApplied(database, ask, run, missed), unstorable };
      }),
  };
}

function raiseFence(document: WidgetDocument | undefined, run: number): void {
  if (document !== undefined && document.fence < run) document.fence = run;
}

/** Null when a widget came into being after its fence was to be raised. */
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
  if (!change.entries.every(({ payload }) => database.accepts('outbox', payload))) return 'unstorable';
  if (document === undefined) return 'missed';
  if (document.fence !== run || document.widget.version !== change.fromVersion) return 'missed';
  document.widget = { ...document.widget, ...change.after };
  document.outbox = [...document.outbox, ...change.entries];
  database.onEffect(run, document, change.entries);
  return 'written';
}

/** A write that is found done already, because it was sent twice, counts as done. */
async function notApplied(
  database: Database,
  ask: Ask,
  run: number,
  missed: readonly WidgetChange[],
): Promise<string[]> {
  if (missed.length === 0) return [];
  return ask(() => missed.filter((change) => !isApplied(database, run, change)).map(({ widgetId }) => widgetId));
}

function isApplied(database: Database, run: number, { widgetId, after, entries }: WidgetChange): boolean {
  const document = database.widgets.get(widgetId);
  if (document?.fence !== run || document.widget.version !== after.version) return false;
  const stored = new Set(document.outbox.map(({ eventId }) => eventId));
  return entries.every(({ eventId }) => stored.has(eventId));
}
