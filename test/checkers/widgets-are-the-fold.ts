import type { HookOperation } from '../drivers/cluster/recording.ts';
import type { StoredWidget } from '../faults/stored-state.ts';
import { collectEventHistory } from './event-history.ts';
import { type Checker, type Evidence, mayBeLost } from './evidence.ts';
import { type AnsweredWidget, isFoldOf, type SentHook } from './fold.ts';

/**
 * C10: every widget is the fold of its accepted hooks, in any order and with any repetitions. A hook without a certain
 * answer has had its effect exactly if it has its event. Where events were lost, both outcomes are allowed.
 */
export const widgetsAreTheFold: Checker = (evidence) => {
  const hooks = groupHooksByWidget(evidence);
  const answers = new Map(
    evidence.recording.creates.flatMap(({ answer }) => {
      const widget = answer === null ? null : (JSON.parse(answer) as AnsweredWidget);
      return widget === null ? [] : [[widget.id, widget] as const];
    }),
  );
  return evidence.stored.widgets.flatMap((widget) => {
    const created = answers.get(widget.id) ?? parseCreatedWidget(widget);
    const { accepted, uncertain } = hooks.get(widget.id) ?? { accepted: [], uncertain: [] };
    const { idempotency: _, ...seen } = widget;
    if (created === null || isFoldOf(seen, created, accepted, uncertain)) return [];
    const kinds = `${accepted.length} hooks accepted, ${uncertain.length} uncertain`;
    return [`widget ${widget.id} is not the fold of its hooks (${kinds}): ${JSON.stringify(seen)}`];
  });
};

/** Returns the widget as the idempotency record holds it. Null without a key: then nothing shows its initial state. */
function parseCreatedWidget({ idempotency }: StoredWidget): AnsweredWidget | null {
  return idempotency === null ? null : (JSON.parse(idempotency.body) as AnsweredWidget);
}

interface HooksOfWidget {
  readonly accepted: SentHook[];
  readonly uncertain: SentHook[];
}

function groupHooksByWidget(evidence: Evidence): Map<string, HooksOfWidget> {
  const { byEventId } = collectEventHistory(evidence);
  const dead = new Set(evidence.stored.deliveries.flatMap((row) => (row.state === 'dead' ? [row.eventId] : [])));
  const byWidget = new Map<string, HooksOfWidget>();
  const byEvent = Map.groupBy(evidence.recording.hooks, ({ eventId }) => eventId);
  for (const [eventId, operations] of byEvent) {
    const hook = operations[0] as HookOperation;
    if (hook.widgetId === null || dead.has(eventId)) continue;
    const hooks = byWidget.get(hook.widgetId) ?? { accepted: [], uncertain: [] };
    byWidget.set(hook.widgetId, hooks);
    const isAccepted = operations.some(({ outcome }) => outcome === 'ok') && !mayBeLost(evidence, operations);
    const isCertain = byEventId.has(eventId) || isAccepted;
    if (isCertain) hooks.accepted.push(hook);
    else if (evidence.allowed.gaps) hooks.uncertain.push(hook);
  }
  return byWidget;
}
