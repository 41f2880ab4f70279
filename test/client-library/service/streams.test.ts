import { createClient } from '@widget-service/client/client.ts';
import { openStream } from '@widget-service/client/stream/open-stream.ts';
import { isWidgetEvent } from '@widget-service/client/stream/stream-event.ts';
import { describe, expect, test } from 'vitest';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });

async function signIn() {
  const client = createClient({ baseUrl: service.url });
  await client.signIn(testAdmin);
  return client;
}

describe('a stream', () => {
  test('delivers what happens, typed by its kind', async () => {
    const client = await signIn();
    const { url } = await client.api.POST('/api/v1/subscriptions', { body: { name: 'screen' } });
    for await (const event of client.stream(url)) {
      if (event.type === 'stream.open') {
        expect(event).toMatchObject({ resumed: false, position: event.cursor });
        await client.createWidget({ name: 'seen' });
      }
      if (isWidgetEvent(event) && event.data.widget?.name === 'seen') {
        expect(event).toMatchObject({ type: 'widget.created', data: { origin: 'api', widget: { version: 1 } } });
        return;
      }
    }
  });

  test('dispatches events to listeners, and says what it does', async () => {
    const client = await signIn();
    const { url } = await client.api.POST('/api/v1/subscriptions', { body: { name: 'listener' } });
    const stream = openStream(url);
    const states: string[] = [];
    const message = new Promise<string>((resolve) => {
      stream.addEventListener('message', ({ detail }) => {
        if (isWidgetEvent(detail)) resolve(detail.type);
      });
    });
    const opened = new Promise<void>((resolve) => {
      stream.addEventListener('state', ({ detail }) => {
        states.push(detail.name);
        if (detail.name === 'open') resolve();
      });
    });
    await opened;
    await client.createWidget({ name: 'heard' });
    expect(await message).toBe('widget.created');
    stream.close();
    await expect.poll(() => states).toEqual(['connecting', 'open', 'ended']);
  });
});
