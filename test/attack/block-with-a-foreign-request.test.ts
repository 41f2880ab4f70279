import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { foreignSenders, toSource } from '../drivers/app/foreign-senders.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { signInThroughPorts } from '../drivers/app/test-app.ts';
import { measureLongestTurnMs } from '../drivers/tools/longest-turn.ts';
import { fillWithNames, listNames } from './different-names.ts';

/** A garbage collection may hit one attempt, not all of them. */
const attemptsMax = 5;
const formType = 'application/x-www-form-urlencoded';

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
  const caller = await signInThroughPorts(service.backend, 'admin');
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

  async function issueUrl(source: object): Promise<string> {
    const response = await fetch(`${service.url}/api/v1/integrations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...caller.headers, origin: service.url },
      body: JSON.stringify({ name: randomUUID(), source }),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { url: string }).url;
  }

  async function measureMs(url: string, headers: Record<string, string>, body: string): Promise<number> {
    let shortestMs = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attemptsMax && shortestMs > blockedMaxMs; attempt += 1) {
      const blockedMs = await measureLongestTurnMs(async () => {
        const response = await fetch(url, { method: 'POST', headers, body });
        await response.text();
        expect([202, 400, 413]).toContain(response.status);
      });
      shortestMs = Math.min(shortestMs, blockedMs);
    }
    return shortestMs;
  }

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
      const ms = await measureMs(url, { ...headers, 'content-type': type }, body);
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
