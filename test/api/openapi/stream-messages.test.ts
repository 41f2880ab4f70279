import { expect, test } from 'vitest';
import { createSchemaCheck } from '../../drivers/app/check-answer.ts';
import { signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { fetchOpenApiDocument, type Json } from '../../drivers/app/openapi-document.ts';
import { createHookSender } from '../../drivers/cluster/hook-sender.ts';
import { openStream, type StreamEvent } from '../../drivers/streams/stream-client.ts';

interface DescribedMessage {
  readonly required: readonly string[];
  readonly properties: {
    readonly id?: Json;
    readonly event: { readonly enum: readonly string[] };
    readonly data: { readonly contentSchema: Json };
  };
}

const service = await openSharedService({
  STREAMS_PER_OWNER: '1',
  ADMIN_EMAIL: testAdmin.email,
  ADMIN_PASSWORD: testAdmin.password,
});

test('every message of GET /api/v1/events/{token} matches its schema in the document', async () => {
  const document = await fetchOpenApiDocument(service);
  const media = document.paths['/api/v1/events/{token}']?.get?.responses['200']?.content?.['text/event-stream'];
  const { items } = (media?.schema.contentSchema ?? { items: { oneOf: [] } }) as {
    items: { oneOf: DescribedMessage[] };
  };
  const findMistakes = createSchemaCheck(document);

  for (const message of await collectMessages()) {
    const described = items.oneOf.find(({ properties }) => properties.event.enum.includes(message.event));
    expect(described, message.event).toBeDefined();
    expect(message.id !== '', message.event).toBe(described?.required.includes('id'));
    expect(findMistakes(described?.properties.data.contentSchema ?? {}, JSON.parse(message.data))).toEqual([]);
  }
});

/** Receives at least one message of each kind that a test can cause quickly. */
async function collectMessages(): Promise<readonly StreamEvent[]> {
  const sender = createHookSender(1);
  const client = await signIn(service.url);
  const subscription = await client.createSubscription('screen');
  const integration = await client.createIntegration('sender');
  const stream = await openStream(subscription.url, { lastEventId: 'nonsense' });
  await stream.until(() => stream.events.length === 2, 'gap and open');
  const owner = { userId: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24', email: 'kim@example.com' };
  const created = (await (await client.createWidget({ name: 'Pump 7', labels: ['north'], owner })).json()) as {
    id: string;
  };
  const occurredAt = new Date().toISOString();
  await sender.send(integration.url, { kind: 'retired', occurredAt, widgetId: created.id, payload: { a: [1, null] } });
  await sender.send(integration.url, { kind: 'updated', occurredAt });
  await stream.until(() => stream.widgetEvents().length === 3, 'three widget events');
  const second = await openStream(subscription.url);
  await second.ended;
  stream.close();
  sender.close();
  const messages = [...stream.events, ...second.events];
  expect(new Set(messages.map(({ event }) => event))).toEqual(
    new Set(['stream.gap', 'stream.open', 'widget.created', 'widget.retired', 'widget.updated', 'stream.closing']),
  );
  return messages;
}
