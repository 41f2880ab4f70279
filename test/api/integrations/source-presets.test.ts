import { deriveWidgetId } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { type BuildOptions, type ForeignRequest, foreignSenders, toSource } from '../../drivers/app/foreign-senders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');
const { headers } = admin;

async function create(source: object) {
  const payload = { name: 'foreign', source };
  const response = await service.post('/api/v1/integrations', payload, headers);
  expect(response.body).not.toContain('"errors"');
  expect(response.statusCode).toBe(201);
  const { id, token, url } = response.json() as { id: string; token: string; url: string };
  return { id, path: `/api/v1/events/hooks/${token}`, url };
}

describe.each(foreignSenders)('$preset', (sender) => {
  const integration = create(toSource(sender));
  const build = async (options: Partial<BuildOptions> = {}) =>
    sender.build({ secret: sender.secret, at: new Date(), url: (await integration).url, ...options });
  const send = async (request: ForeignRequest, addedHeaders: Readonly<Record<string, string | string[]>> = {}) => {
    const { path } = await integration;
    return service.post(path, request.body, { ...request.headers, ...addedHeaders });
  };

  test('accepts what the sender signed, and knows its repetitions', async () => {
    const request = await build();
    const [first, again] = [await send(request), await send(request)];
    expect([first.statusCode, again.statusCode]).toEqual([202, 202]);
    expect(first.headers['webhook-event-id']).toMatch(/^[\da-f-]{36}$/);
    const other = await send(await build());
    expect(other.headers['webhook-event-id']).not.toBe(first.headers['webhook-event-id']);
    expect(again.headers['webhook-event-id']).toBe(first.headers['webhook-event-id']);
  });

  test('shows in the preview what the hook becomes, and stores nothing', async () => {
    const { id, url } = await integration;
    const request = await build({ name: 'the object', verb: 'deleted' });
    const preview = await service.post(`/api/v1/integrations/${id}/preview`, { ...request, url }, headers);
    expect(preview.statusCode).toBe(200);
    const { outcome, signature, hook, event } = preview.json();
    expect({ outcome, signature }).toEqual({
      outcome: 'hook',
      signature: { result: 'valid', secret: 1, reason: null },
    });
    const name = sender.preset === 'custom' ? JSON.stringify(['north', 'the object']) : 'the object';
    expect(hook).toMatchObject({ kind: 'retired', widgetId: deriveWidgetId(id, name) });
    expect(event).toMatchObject({ type: 'widget.retired', subject: hook.widgetId, data: { payload: hook.payload } });
    const accepted = await send(request);
    expect(accepted.headers['webhook-event-id']).toBe(event.id);
  });

  test('ignores what the mapping ignores', async () => {
    const response = await send(await build({ verb: 'something else' }));
    expect(response.statusCode).toBe(202);
    expect(response.body).toBe('');
    expect(response.headers).not.toHaveProperty('webhook-event-id');
  });

  describe('refuses', () => {
    const header = sender.signatureHeader;
    const withSignature = async (change: (signature: string) => string): Promise<ForeignRequest> => {
      const request = await build();
      return { ...request, headers: { ...request.headers, [header]: change(request.headers[header] ?? '') } };
    };
    const forgeries: Readonly<Record<string, () => Promise<ForeignRequest>>> = {
      'another secret': () => build({ secret: sender.otherSecret }),
      'no signature': async () => {
        const request = await build();
        const { [header]: _, ...rest } = request.headers;
        return { ...request, headers: rest };
      },
      'an empty signature': () => withSignature(() => ''),
      'a signature that is cut': () => withSignature((signature) => signature.slice(0, -3)),
      'a signature with more': () => withSignature((signature) => `${signature}A`),
      'another last character': () => withSignature((signature) => `${signature.slice(0, -2)}!!`),
      'only what precedes a signature': () => withSignature((signature) => signature.slice(0, 7)),
      'the signature of another request': async () => {
        const other = await build({ secret: sender.otherSecret, name: 'another' });
        return withSignature(() => other.headers[header] ?? '');
      },
      ...(sender.signsBody
        ? {
            'another body': async () => {
              const request = await build();
              return { ...request, body: request.body.replace(/^\{|CA/, '$& ') };
            },
            'a body with more': async () => {
              const request = await build();
              const more = request.body.startsWith('{') ? ' ' : '&more=1';
              return { ...request, body: `${request.body}${more}` };
            },
          }
        : {}),
      ...(sender.signsTime
        ? {
            'an old time': () => build({ signedAt: new Date(Date.now() - 301_000) }),
            'a time ahead': () => build({ signedAt: new Date(Date.now() + 302_000) }),
          }
        : {}),
    };
    test.each(Object.keys(forgeries))('%s', async (name) => {
      const request = await forgeries[name]?.();
      const response = await send(request ?? { headers: {}, body: '' });
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 'invalid-hook-signature' });
      expect(response.body).not.toContain(sender.secret);
    });

    test('the header twice, also if both are right', async () => {
      const request = await build();
      const signature = request.headers[header] ?? '';
      const response = await send(request, { [header]: [signature, signature] });
      expect(response.statusCode).toBe(400);
      const wrong = await send(request, { [header]: [`${signature.slice(0, -2)}00`, signature] });
      expect(wrong.statusCode).toBe(400);
    });
  });
});
