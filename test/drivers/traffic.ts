import type { ConsoleClient } from './console-client.ts';
import type { HookBody } from './hook-sender.ts';

/** Creates widgets over HTTP and returns their ids. */
export async function createWidgets(client: ConsoleClient, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await client.createWidget({ name: `widget ${index}`, labels: [`line-${index % 5}`] });
      if (response.status !== 201) throw new Error(`create answered ${response.status}: ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    }),
  );
}

/** Distinct hooks, in turn over the widgets; a payload tells them apart. */
export function hooksOver(widgetIds: readonly string[], count: number): HookBody[] {
  const occurredAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => ({
    kind: 'updated',
    occurredAt,
    widgetId: widgetIds[index % widgetIds.length] ?? '',
    payload: { number: index, note: 'measured at the end of the line' },
  }));
}
