import type { HookOperation } from '../drivers/recording.ts';
import type { StoredWidget } from '../faults/stored-state.ts';
import { type Checker, type Evidence, mayBeLost } from './evidence.ts';
import { type AnsweredWidget, isFoldOf, type SentHook } from './fold.ts';
import { historyOf } from './history.ts';

/**
 * C10: every widget is the fold of the hooks that were accepted for it, whatever their order and repetition. A hook
 * without a certain answer has had its effect exactly if it has its event; where events were lost, it is tried both ways.
 */
export const widgetsAreTheFold: Checker = (evidence) => {
  const hooks = hooksByWidget(evidence);
  const answers = new Map(
    evidence.recording.creates.flatMap(({ answer }) => {
      const widget = answer === null ? null : (JSON.parse(answer) as AnsweredWidget);
      return widget === null ? [] : [[widget.id, widget] as const];
    }),
  );
  return evidence.stored.widgets.flatMap((widget) => {
    const created = answers.get(widget.id) ?? createdBy(widget);
    const { accepted, open } = hooks.get(widget.id) ?? { accepted: [], open: [] };
    const { idempotency: _, ...seen } = widget;
    if (created === null || isFoldOf(seen, created, accepted, open)) return [];
    const kinds = `${accepted.length} hooks accepted, ${open.length} uncertain`;
    return [`widget ${widget.id} is not the fold of its hooks (${kinds}): ${JSON.stringify(seen)}`];
  });
};

/** Of one whose answer never came: as it was stored for the answer. Without a key nothing tells what it was at first. */
function createdBy({ idempotency }: StoredWidget): AnsweredWidget | null {
  return idempotency === null ? null : (JSON.parse(idempotency.body) as AnsweredWidget);
}

interface HooksOfWidget {
  readonly accepted: SentHook[];
  readonly open: SentHook[];
}

function hooksByWidget(evidence: Evidence): Map<string, HooksOfWidget> {
  const { byEventId } = historyOf(evidence);
  const dead = new Set(evidence.stored.deliveries.flatMap((row) => (row.state === 'dead' ? [row.eventId] : [])));
  const byWidget = new Map<string, HooksOfWidget>();
  const byEvent = Map.groupBy(evidence.recording.hooks, ({ eventId }) => eventId);
  for (const [eventId, operations] of byEvent) {
    const hook = operations[0] as HookOperation;
    if (hook.widgetId === null || dead.has(eventId)) continue;
    const hooks = byWidget.get(hook.widgetId) ?? { accepted: [], open: [] };
    byWidget.set(hook.widgetId, hooks);
    const isAccepted = operations.some(({ outcome }) => outcome === 'ok') && !mayBeLost(evidence, operations);
    const isCertain = byEventId.has(eventId) || isAccepted;
    if (isCertain) hooks.accepted.push(hook);
    else if (evidence.allowed.gaps) hooks.open.push(hook);
  }
  return byWidget;
}
