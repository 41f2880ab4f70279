import { expect } from 'vitest';
import type { ConsoleClient } from '../../drivers/app/console-client.ts';
import type { SentHook } from '../../drivers/cluster/hook-sender.ts';
import type { StreamEvent } from '../../drivers/streams/stream-client.ts';

interface ListedDelivery {
  readonly eventId: string;
  readonly state: string;
  readonly position: string | null;
}

const pageSize = 100;

/** Asserts that each widget has exactly one creation event, and that it is the first event of the widget. */
export function expectOneCreationEach(widgetIds: readonly string[], events: readonly StreamEvent[]): void {
  const parsed = events.map(({ data }) => JSON.parse(data) as { subject?: string; data: { origin: string } });
  for (const widgetId of widgetIds) {
    const origins = parsed.filter(({ subject }) => subject === widgetId).map(({ data }) => data.origin);
    expect(origins[0], widgetId).toBe('api');
    expect(origins.slice(1), widgetId).not.toContain('api');
  }
}

/** Asserts that each accepted hook raised its widget's version by one, and that nothing else did. */
export async function expectVersions(
  client: ConsoleClient,
  widgetIds: readonly string[],
  sent: readonly SentHook[],
): Promise<void> {
  for (const widgetId of widgetIds) {
    const hooks = new Set(sent.flatMap(({ body, eventId }) => (body.widgetId === widgetId ? [eventId] : [])));
    const answer = await client.request('GET', `/api/v1/widgets/${widgetId}`);
    expect(((await answer.json()) as { version: number }).version, widgetId).toBe(1 + hooks.size);
  }
}

/**
 * Asserts that each accepted hook has one ledger row, in the state `published`. Its position, if set, is the event's.
 */
export async function expectLedger(
  client: ConsoleClient,
  integrationId: string,
  sent: readonly SentHook[],
  events: readonly StreamEvent[],
): Promise<void> {
  const rows = await listDeliveries(client, integrationId);
  const positions = new Map(events.map(({ id, data }) => [(JSON.parse(data) as { id: string }).id, id]));
  expect(new Set(rows.map(({ eventId }) => eventId))).toEqual(new Set(sent.map(({ eventId }) => eventId)));
  for (const { eventId, state, position } of rows) {
    expect({ eventId, state }).toEqual({ eventId, state: 'published' });
    if (position !== null) expect(position).toBe(positions.get(eventId));
  }
}

async function listDeliveries(client: ConsoleClient, integrationId: string): Promise<ListedDelivery[]> {
  const rows: ListedDelivery[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/v1/integrations/${integrationId}/deliveries?page=${page}&pageSize=${pageSize}`;
    const { items, hasNext } = (await (await client.request('GET', path)).json()) as {
      items: ListedDelivery[];
      hasNext: boolean;
    };
    rows.push(...items);
    if (!hasNext) return rows;
  }
}
