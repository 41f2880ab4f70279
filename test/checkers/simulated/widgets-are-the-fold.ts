import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { World } from '../../simulation/world/world.ts';

/** C10: each widget is the fold of its hooks, in any order. This computes it again, in another way than the service. */
export function widgetsAreTheFold({ history, database }: World): string[] {
  const byWidget = Map.groupBy(history.effects, ({ widgetId }) => widgetId);
  return [...database.widgets.values()].flatMap(({ widget }) => {
    const entries = (byWidget.get(widget.id) ?? []).map(({ entry }) => entry);
    const expected = fold(entries.filter(({ integrationId }) => integrationId !== null));
    const actual = summarize(widget);
    return actual === expected ? [] : [`C10: widget ${widget.id} is ${actual}, its hooks make ${expected}`];
  });
}

function fold(hooks: readonly OutboxEntry[]): string {
  const times = hooks.map((hook) => ({ ...hook, ms: computeEffectiveMs(hook) }));
  const retirements = times.filter(({ kind }) => kind === 'retired').map(({ ms }) => ms);
  return JSON.stringify({
    version: 1 + hooks.length,
    state: retirements.length > 0 ? 'retired' : 'active',
    retiredAt: retirements.length > 0 ? Math.min(...retirements) : null,
    lastEventAt: times.length > 0 ? Math.max(...times.map(({ ms }) => ms)) : null,
  });
}

function computeEffectiveMs({ occurredAt, receivedAt }: OutboxEntry): number {
  return Math.min(Date.parse(occurredAt), receivedAt.getTime());
}

function summarize({ version, state, retiredAt, lastEventAt }: Widget): string {
  return JSON.stringify({
    version,
    state,
    retiredAt: retiredAt?.getTime() ?? null,
    lastEventAt: lastEventAt?.getTime() ?? null,
  });
}
