/**
 * What a hook can say about a widget. `applyHooks` (effect.ts) decides what a kind does.
 *
 * If you add a kind, also raise `jobVersion` (hook-job-codec.ts): new jobs then wait for a new worker.
 * Otherwise an old worker would dead-letter their deliveries, because it does not know the kind.
 */
export const hookKinds = ['created', 'updated', 'retired'] as const;
export type HookKind = (typeof hookKinds)[number];

/** The type of the event that a hook of each kind becomes. A creation over the API becomes `widget.created`, too. */
export const widgetEventTypes = [
  'widget.created',
  'widget.updated',
  'widget.retired',
] as const satisfies `widget.${HookKind}`[];
export type WidgetEventType = (typeof widgetEventTypes)[number];
