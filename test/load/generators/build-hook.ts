/** Returns the body of a hook that updates one of the widgets. Hooks with different numbers have different contents. */
export function buildHook(widgetIds: readonly string[], number: number): string {
  return JSON.stringify({
    kind: 'updated',
    occurredAt: '2026-01-05T16:00:05.123Z',
    widgetId: widgetIds[number % widgetIds.length],
    payload: { number, note: 'measured at the end of the line' },
  });
}
