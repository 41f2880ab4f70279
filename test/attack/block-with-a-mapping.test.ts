import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { signInThroughPorts } from '../drivers/app/test-app.ts';
import { measureLongestTurnMs } from '../drivers/tools/longest-turn.ts';
import { fillWithNames } from './different-names.ts';

const blockedMaxMs = 50;
/** A garbage collection may hit one attempt, not all of them. */
const attemptsMax = 5;
const bodyLength = 65_000;

const service = await openSharedService();
const caller = await signInThroughPorts(service.backend, 'admin');

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

const bodies: Readonly<Record<string, string>> = {
  'a long text before the numbers': `{"a":"${fill('é', bodyLength / 2)}","last":1}`,
  'many members before the numbers': `{${fill('"a":1,', bodyLength)}"last":1}`,
  'different members before the numbers': `{${fillWithNames((name) => `"${name}":1,`, bodyLength)}"last":1}`,
  'members with escaped names': `{${fill('"\\u0061":1,', bodyLength)}"last":1}`,
  'repeated members that count': `{${fill('"last":1,', bodyLength)}"last":1}`,
  'many items': `{"a":[${fill('1,', bodyLength)}1],"last":1}`,
  'a huge number': `{"last":${fill('9', bodyLength)}}`,
  'deep objects': `${fill('{"last":', 248)}1${fill('}', 31)}`,
};

async function create(place: object, sender: object = { preset: 'custom', scheme: { algorithm: 'none' } }) {
  const source = { ...sender, mapping: mapping(place) };
  const response = await fetch(`${service.url}/api/v1/integrations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...caller.headers, origin: service.url },
    body: JSON.stringify({ name: randomUUID(), source }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { url: string }).url;
}

async function post(url: string, body: string, type: string, more: object = {}): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type, ...more }, body });
  await response.text();
  return response.status;
}

test('no request to an integration with the largest mapping blocks the event loop for more than 50 ms', async () => {
  const urls = [await create(last), await create(deep)];
  const slow: string[] = [];
  const statuses = new Set<number>();
  const requests = Object.entries(bodies).flatMap(([name, body]) => [
    { name, body, type: 'application/json' },
    { name: `${name}, in a form`, body: `payload=${body}`, type: 'application/x-www-form-urlencoded' },
    { name: `${name}, as a form`, body: body.replaceAll(/[{,]/g, '&'), type: 'application/x-www-form-urlencoded' },
  ]);
  for (const { name, body, type } of requests) {
    for (const url of urls) {
      let shortestMs = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < attemptsMax && shortestMs > blockedMaxMs; attempt += 1) {
        const blockedMs = await measureLongestTurnMs(async () => statuses.add(await post(url, body, type)));
        shortestMs = Math.min(shortestMs, blockedMs);
      }
      if (shortestMs > blockedMaxMs) slow.push(`${name}: ${Math.round(shortestMs)} ms`);
    }
  }
  expect(slow).toEqual([]);
  expect([...statuses].sort()).toEqual([202, 400]);
});

test('nor does a CloudEvent with as many attributes as headers may have', async () => {
  const secret = 'a bearer token';
  const url = await create(last, { preset: 'cloudevents', secrets: [secret] });
  // Node reads 16 KiB of headers.
  const attributes = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`ce-a${index}`, '1']));
  const headers = { authorization: `Bearer ${secret}`, 'ce-specversion': '1.0', ...attributes };
  const statuses = new Set<number>();
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attemptsMax && shortestMs > blockedMaxMs; attempt += 1) {
    const blockedMs = await measureLongestTurnMs(async () =>
      statuses.add(await post(url, bodies['many items'] ?? '', 'application/json', headers)),
    );
    shortestMs = Math.min(shortestMs, blockedMs);
  }
  expect(shortestMs).toBeLessThanOrEqual(blockedMaxMs);
  expect([...statuses]).toEqual([202]);
});
