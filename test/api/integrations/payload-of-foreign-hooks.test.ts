import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { makeSourceClient, integrationsPath as path, unsigned } from '../../drivers/app/source-client.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const { create, previewOf, send } = makeSourceClient(service, headers);

describe('a hook of a foreign sender', () => {
  test('keeps the digits of its payload', async () => {
    const { hook, event } = await previewOf(unsigned({ payload: { from: '/data' } }), { body: '{"data":{"n":1}}' });
    expect({ hook: hook.payload, event: event.data.payload }).toEqual({ hook: { n: 1 }, event: { n: 1 } });
    const digits = '{"n":12345678901234567890.10}';
    const response = await send('POST', `${path}/preview`, {
      source: unsigned({ payload: { from: '/data' } }),
      body: `{"data":${digits}}`,
    });
    expect(response.body).toContain(`"payload":${digits}`);
  });

  test.each([
    [
      'a slash command of Slack',
      'slack',
      { token: 'secret-1', response_url: 'https://hooks.slack.com/secret-2', text: 'go', trigger_id: '1.2' },
      { text: 'go', trigger_id: '1.2' },
    ],
    [
      'an interaction in a workflow of Slack',
      'slack',
      {
        trigger_id: '1.2',
        response_urls: [{ response_url: 'secret-1' }],
        bot_access_token: 'secret-2',
        interactivity: { interactor: { id: 'U1', secret: 'secret-3' } },
        event: { type: 'function_executed', bot_access_token: 'secret-4' },
      },
      { trigger_id: '1.2', interactivity: { interactor: { id: 'U1' } }, event: { type: 'function_executed' } },
    ],
    [
      'a payment of Stripe',
      'stripe',
      { id: 'evt_1', created: 1_772_359_200, data: { object: { id: 'pi_1', client_secret: 'pi_1_secret' } } },
      { id: 'evt_1', created: 1_772_359_200, data: { object: { id: 'pi_1' } } },
    ],
  ] as const)('keeps out of its payload what the sender calls secret: %s', async (_name, preset, sent, kept) => {
    const mapping = { kind: { value: 'updated' } };
    const body = JSON.stringify(sent);
    const { hook, event } = await previewOf({ preset, mapping } as object, { body });
    expect(hook.payload).toEqual(kept);
    expect(event.data.payload).toEqual(kept);
    const whole = await previewOf({ preset, mapping: { ...mapping, payload: { from: '' } } } as object, { body });
    expect(whole.hook.payload).toEqual(sent);
  });

  test('has no member that its mapping leaves out', async () => {
    const payload = { from: '/data', without: ['/key', '/a~1b/c'] };
    const body = '{"data":{"n":1.10,"key":1,"a/b":{"c":2,"d":3}}}';
    const source = unsigned({ payload });
    expect((await send('POST', `${path}/preview`, { source, body })).body).toContain(
      '"payload":{"n":1.10,"a/b":{"d":3}}',
    );
    const created = (await create(source)).json() as { id: string; source: { mapping: { payload: object } } };
    expect(created.source.mapping.payload).toEqual(payload);
  });

  test('of Slack shows what is left out, and keeps that if the shown mapping is sent again', async () => {
    const slack = { preset: 'slack', secrets: ['a secret for Slack'], mapping: { kind: { value: 'updated' } } };
    const { id, source } = (await create(slack)).json() as { id: string; source: { mapping: { payload: object } } };
    expect(source.mapping.payload).toMatchObject({ from: '', without: expect.arrayContaining(['/token']) });
    const { only: _, ...shown } = source.mapping as Record<string, unknown>;
    const changed = await send('PUT', `${path}/${id}/source/mapping`, shown);
    expect(changed.json()).toMatchObject({ source: { mapping: { payload: source.mapping.payload } } });
  });
});
