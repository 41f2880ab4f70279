import { createClient } from '@widget-service/client/client.ts';
import { createHookSender, type HookEvent } from '@widget-service/client/hooks/hook-sender.ts';
import { formatExactJson, parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { isWidgetEvent } from '@widget-service/client/stream/stream-event.ts';
import { expect, test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });

const payload = '{"id":12345678901234567890,"price":1.0,"pi":[3.14159265358979323846,1E2],"lux":300}';

test('keeps every digit from a sender through the service, a stream and a delivery into another hook', async () => {
  const client = createClient({ baseUrl: service.url });
  await client.signIn(testAdmin);
  const { id, url } = await client.api.POST('/api/v1/integrations', { body: { name: 'exact' } });
  const stream = await client.api.POST('/api/v1/subscriptions', { body: { name: 'exact' } });
  const sender = createHookSender({ url });
  const hook = (text: string): HookEvent => ({
    kind: 'updated',
    occurredAt: new Date().toISOString(),
    payload: parseExactJson(text) as Record<string, unknown>,
  });
  let sent = 0;
  for await (const event of client.stream(stream.url)) {
    if (event.type === 'stream.open') await sender.send(hook(payload));
    if (!isWidgetEvent(event)) continue;
    sent += 1;
    expect(event.json).toContain(payload);
    const { data } = parseExactJson(event.json) as { data: { payload: unknown } };
    expect(formatExactJson(data.payload)).toBe(payload);
    if (sent === 2) break;
    // What came is sent again.
    await sender.send(hook(formatExactJson(data.payload)));
  }
  const { eventId } = await sender.send({ ...hook('{}'), payload: { id: 12_345_678_901_234_567_890n } });
  const init = { params: { path: { id, eventId } }, parseAs: 'text' } as const;
  const read = (): Promise<string> => client.api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', init);
  await eventually(() => read().then(Boolean, () => false), 'the delivery is registered');
  expect(await read()).toContain('"payload":{"id":12345678901234567890}');
});
