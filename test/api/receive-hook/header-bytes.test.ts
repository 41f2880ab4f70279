import { createHmac } from 'node:crypto';
import { mintSigningSecret, parseSigningSecret, sealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { aGrant, plainIntegration } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { exchange } from '../bad-input/raw-connection.ts';

const secret = mintSigningSecret();
const token = mintToken('wht');
const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: {} });

const service = await openSharedApp();
const admin = await service.signedIn('admin');
await service.backend.integrations.insert({
  ...aGrant({ token: { digest: sha256Hex(token), sealedSecret: sealSecrets([secret], token) } }),
  ...plainIntegration,
  deduplicateByContent: false,
});
await service.app.listen({ host: '127.0.0.1', port: 0 });
const port = (service.app.server.address() as { port: number }).port;

/** Posts a hook with exactly these bytes in its headers, signed over the bytes of `signedId`. */
async function post(headers: (signature: string, timestamp: number) => Buffer[], signedId: Buffer) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const key = parseSigningSecret(secret) ?? '';
  const signature = createHmac('sha256', key).update(signedId).update(`.${timestamp}.${body}`).digest('base64');
  const lines = headers(`v1,${signature}`, timestamp).flatMap((line) => [line, Buffer.from('\r\n')]);
  const head = `POST /api/v1/events/hooks/${token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const [response] = await exchange(port, Buffer.concat([Buffer.from(head), ...lines, Buffer.from(`\r\n${body}`)]));
  return response;
}

/** `value` is the value of `webhook-id`, with the spaces around it. */
const postSigned = (value: Buffer, signedId = value) =>
  post(
    (signature, timestamp) => [
      Buffer.concat([Buffer.from('webhook-id:'), value]),
      Buffer.from(`webhook-timestamp: ${timestamp}`),
      Buffer.from(`webhook-signature: ${signature}`),
    ],
    signedId,
  );

describe('a webhook-id beyond ASCII', () => {
  test.each([
    ['UTF-8', Buffer.from('größe-日本-👍')],
    ['Latin-1', Buffer.from('größe', 'latin1')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x41])],
  ])('in %s is accepted with a signature over the bytes that were sent', async (_name, id) => {
    expect(await postSigned(id)).toMatchObject({ status: 202 });
    expect(await postSigned(id, Buffer.from('another'))).toMatchObject({ status: 400 });
    // Its bytes as those of another text: a recorded hook must not become another one.
    expect(await postSigned(Buffer.from(id.toString('latin1')), id)).toMatchObject({ status: 400 });
  });

  test('is one event, whichever encoding the sender writes its headers in', async () => {
    const text = Buffer.from('straße');
    const [utf8, latin1] = [await postSigned(text), await postSigned(Buffer.from('straße', 'latin1'), text)];
    expect([utf8?.status, latin1?.status]).toEqual([202, 202]);
    expect(latin1?.headers['webhook-event-id']).toBe(utf8?.headers['webhook-event-id']);
  });

  test('is shown as its text with a refusal', async () => {
    const id = 'größe-日本';
    const { token: unsigned, integrationId } = await service.issueHookToken();
    const head = `POST /api/v1/events/hooks/${unsigned} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nWebhook-Id: ${id}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`;
    expect(await exchange(port, Buffer.from(`${head}\r\n{}`))).toMatchObject([{ status: 400 }]);
    const url = `/api/v1/integrations/${integrationId}/refusals`;
    await eventually(async () => {
      const response = await admin.get(url);
      return response.json().items.some(({ webhookId }: { webhookId: string }) => webhookId === id);
    }, 'the refusal shows the id');
  });
});

test('spaces and tabs around a webhook-id are not part of it', async () => {
  const id = Buffer.from('msg 1');
  const plain = await postSigned(id);
  const padded = await postSigned(Buffer.from(' \t msg 1 \t'), id);
  expect([plain?.status, padded?.status]).toEqual([202, 202]);
  expect(padded?.headers['webhook-event-id']).toBe(plain?.headers['webhook-event-id']);
});

describe('other headers beyond ASCII', () => {
  test('an Idempotency-Key is refused', async () => {
    const { token: unsigned } = await service.issueHookToken();
    const head = `POST /api/v1/events/hooks/${unsigned} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const request = Buffer.from(`${head}Idempotency-Key: schlüssel\r\n\r\n${body}`);
    const [response] = await exchange(port, request);
    expect(JSON.parse(response?.body ?? '{}')).toMatchObject({ status: 400, code: 'invalid-idempotency-key' });
  });

  test.each(['größe', 'a\u009b2J', 'a b', 'x'.repeat(129)])('an X-Request-Id "%s" is not logged', async (id) => {
    const request = `GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: ${id}\r\n\r\n`;
    const [response] = await exchange(port, Buffer.from(request));
    const line = service.logLines.find((text) => text.includes(response?.headers['x-request-id'] ?? '-'));
    expect(line).toContain('"route":"unmatched"');
    expect(line).not.toContain('foreignRequestId');
  });
});
