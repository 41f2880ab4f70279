import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { foreignSenders, toSource } from '../drivers/app/foreign-senders.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { signInThroughPorts } from '../drivers/app/test-app.ts';
import type { TestService } from '../drivers/app/test-service.ts';
import { measureBlockedMs } from '../drivers/tools/longest-turn.ts';
import { fillWithNames, listNames } from './different-names.ts';

const formType = 'application/x-www-form-urlencoded';

/** Returns a function that creates an integration with this source, and returns its address. */
async function openAdmin(service: TestService): Promise<(source: object) => Promise<string>> {
  const caller = await signInThroughPorts(service.backend, 'admin');
  return async (source) => {
    const response = await fetch(`${service.url}/api/v1/integrations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller.headers, origin: service.url },
      body: JSON.stringify({ name: randomUUID(), source }),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { url: string }).url;
  };
}

/** Posts a hook, and returns its status. */
async function post(url: string, body: string, type: string, headers: object = {}): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
  await response.text();
  return response.status;
}

/**
 * The time grows with the size of a body, and with nothing else: `JSON.parse` alone takes 400 ms for 4 MiB of names.
 */
describe.each([
  { bodyLimitBytes: 65_536, blockedMaxMs: 50 },
  { bodyLimitBytes: 4_194_304, blockedMaxMs: 2_000 },
])('a body of $bodyLimitBytes bytes', async ({ bodyLimitBytes, blockedMaxMs }) => {
  const service = await openSharedService({
    BODY_LIMIT_BYTES: `${bodyLimitBytes}`,
    HOOK_RATE_PER_SECOND: '0',
  });
  const issueUrl = await openAdmin(service);
  const length = bodyLimitBytes - 64;
  const bodies = [
    { name: 'different fields', type: formType, body: fillWithNames((name) => `${name}&`, length) },
    { name: 'different fields with values', type: formType, body: fillWithNames((name) => `${name}=${name}&`, length) },
    { name: 'one field with different values', type: formType, body: fillWithNames((name) => `a=${name}&`, length) },
    { name: 'as many different fields as are read', type: formType, body: listFields(4_096, length) },
    {
      name: 'different members',
      type: 'application/json',
      body: `{${fillWithNames((name) => `"${name}":1,`, length)}"last":1}`,
    },
    {
      name: 'different members in a field',
      type: formType,
      body: `payload={${fillWithNames((name) => `"${name}":1,`, length - 20)}"last":1}`,
    },
    { name: 'different texts', type: 'application/json', body: `[${fillWithNames((name) => `"${name}",`, length)}1]` },
  ];

  const senders = [
    ...foreignSenders.map((sender) => ({ name: sender.preset, source: toSource(sender), sender })),
    {
      name: 'a sender without a signature',
      source: { preset: 'custom', scheme: { algorithm: 'none' }, mapping: { kind: { value: 'updated' } } },
      sender: null,
    },
  ];

  test.each(senders)('to an integration of $name does not block the event loop', async ({ source, sender }) => {
    const url = await issueUrl(source);
    const slow: string[] = [];
    for (const { name, type, body } of bodies) {
      // Signed, but not for this body.
      const headers = sender?.build({ secret: sender.secret, at: new Date(), url }).headers ?? {};
      const send = async () => expect([202, 400, 413]).toContain(await post(url, body, type, headers));
      const ms = await measureBlockedMs(send, blockedMaxMs);
      if (ms > blockedMaxMs) slow.push(`${name}: ${Math.round(ms)} ms`);
    }
    expect(slow).toEqual([]);
  });
});

/** This many fields with different names, and of this length in all. */
function listFields(count: number, length: number): string {
  const names = listNames(count);
  const value = 'x'.repeat(Math.floor(length / count) - 4);
  return names.map((name) => `${name}=${value}`).join('&');
}

const bodyLength = 65_000;

const fill = (text: string, length: number) => text.repeat(Math.floor(length / text.length));
/** Numbers are read from the text, so each place costs a scan of the whole body. */
const deep = { from: fill('/last', 125) };
const last = { from: '/last' };
const all = [last, last, last, last];

/** The largest mapping: as many places as it may have, each of which reads to the end of the body. */
const mapping = (place: object) => ({
  only: Array.from({ length: 10 }, () => ({
    ...place,
    in: ['1', ...Array.from({ length: 49 }, () => fill('x', 64))],
  })),
  kind: { ...last, values: { 1: 'updated' } },
  occurredAt: { ...last, format: 'unix-seconds' },
  widgetId: { all, as: 'name' },
  id: { all },
  payload: { from: '' },
});

const mappedBodies: Readonly<Record<string, string>> = {
  'a long text before the numbers': `{"a":"${fill('é', bodyLength / 2)}","last":1}`,
  'many members before the numbers': `{${fill('"a":1,', bodyLength)}"last":1}`,
  'different members before the numbers': `{${fillWithNames((name) => `"${name}":1,`, bodyLength)}"last":1}`,
  'members with escaped names': `{${fill('"\\u0061":1,', bodyLength)}"last":1}`,
  'repeated members that count': `{${fill('"last":1,', bodyLength)}"last":1}`,
  'many items': `{"a":[${fill('1,', bodyLength)}1],"last":1}`,
  'a huge number': `{"last":${fill('9', bodyLength)}}`,
  'deep objects': `${fill('{"last":', 248)}1${fill('}', 31)}`,
};

describe('the largest mapping', async () => {
  const blockedMaxMs = 50;
  const issueUrl = await openAdmin(await openSharedService());
  const unsigned = (place: object) => ({
    ...{ preset: 'custom', scheme: { algorithm: 'none' }, mapping: mapping(place) },
  });

  test('no request to an integration with the largest mapping blocks the event loop for more than 50 ms', async () => {
    const urls = [await issueUrl(unsigned(last)), await issueUrl(unsigned(deep))];
    const slow: string[] = [];
    const statuses = new Set<number>();
    const requests = Object.entries(mappedBodies).flatMap(([name, body]) => [
      { name, body, type: 'application/json' },
      { name: `${name}, in a form`, body: `payload=${body}`, type: formType },
      { name: `${name}, as a form`, body: body.replaceAll(/[{,]/g, '&'), type: formType },
    ]);
    for (const { name, body, type } of requests) {
      for (const url of urls) {
        const ms = await measureBlockedMs(async () => statuses.add(await post(url, body, type)), blockedMaxMs);
        if (ms > blockedMaxMs) slow.push(`${name}: ${Math.round(ms)} ms`);
      }
    }
    expect(slow).toEqual([]);
    expect([...statuses].sort()).toEqual([202, 400]);
  });

  test('no CloudEvent to one blocks it, with as many attributes as headers may have', async () => {
    const secret = 'a bearer token';
    const url = await issueUrl({ preset: 'cloudevents', secrets: [secret], mapping: mapping(last) });
    // Node reads 16 KiB of headers.
    const attributes = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`ce-a${index}`, '1']));
    const headers = { authorization: `Bearer ${secret}`, 'ce-specversion': '1.0', ...attributes };
    const statuses = new Set<number>();
    const send = async () =>
      statuses.add(await post(url, mappedBodies['many items'] ?? '', 'application/json', headers));
    expect(await measureBlockedMs(send, blockedMaxMs)).toBeLessThanOrEqual(blockedMaxMs);
    expect([...statuses]).toEqual([202]);
  });
});
