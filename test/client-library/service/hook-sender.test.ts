import { createHookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { describe, expect, test } from 'vitest';
import { signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });

const aHook = () => ({ kind: 'updated' as const, occurredAt: new Date().toISOString(), payload: { lux: 300 } });

async function createIntegration(members: object) {
  const admin = await signIn(service.url);
  const response = await admin.request('POST', '/api/v1/integrations', { name: 'a sender', ...members });
  return (await response.json()) as { id: string; url: string; signingSecret?: string };
}

describe('a hook sender', () => {
  test('signs hooks for an integration that requires it', async () => {
    const { url, signingSecret = '' } = await createIntegration({ signature: 'standard-webhooks' });
    const signed = createHookSender({ url, secret: signingSecret });
    expect((await signed.send(aHook())).eventId).toMatch(/^[0-9a-f-]{36}$/);
    const unsigned = createHookSender({ url });
    await expect(unsigned.send(aHook())).rejects.toMatchObject({ code: 'invalid-hook-signature' });
  });

  test('makes one event of a hook with the same id', async () => {
    const { url } = await createIntegration({});
    const [first, second] = [createHookSender({ url }), createHookSender({ url })];
    const sent = await Promise.all([first.send(aHook(), { id: 'row-1' }), second.send(aHook(), { id: 'row-1' })]);
    expect(sent[0]?.eventId).toBe(sent[1]?.eventId);
    expect((await first.send(aHook(), { id: 'row-2' })).eventId).not.toBe(sent[0]?.eventId);
  });

  test('rejects a hook that the service refuses for good', async () => {
    const sender = createHookSender({ url: await service.issueHookUrl() });
    await expect(sender.send({ ...aHook(), occurredAt: 'yesterday' })).rejects.toMatchObject({
      code: 'invalid-request',
    });
    const unknown = createHookSender({ url: `${service.url}/api/v1/events/hooks/unknown` });
    await expect(unknown.send(aHook())).rejects.toMatchObject({ code: 'invalid-hook-token' });
  });
});
