import { randomUUID } from 'node:crypto';
import { mintToken } from '@widget-service/shared/domain/token.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpSender } from '../api/bad-input/http-sender.ts';
import { aUser } from '../drivers/app/builders.ts';
import { issueIntegration, issueProvisionToken, issueSubscription } from '../drivers/app/issue-grants.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { openTestApp, type TestApp, type TestResponse } from '../drivers/app/test-app.ts';

/**
 * An attacker compares answers, and how long they take. Times on a shared machine vary, so these tests compare what
 * takes the time: calls of stores, and processor time. Where both are small, they compare ranks of interleaved samples.
 * That invalid tokens get the same answer byte by byte is in `test/api/grants/tokens.test.ts`.
 */

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Returns the ports with every call of a method recorded. */
function watchCalls(backend: Backend, names: readonly (keyof Backend)[], calls: string[]): Partial<Backend> {
  const watch = (name: keyof Backend) =>
    new Proxy(backend[name] as object, {
      get: (target, member) => {
        const own = Reflect.get(target, member, target) as unknown;
        if (typeof own !== 'function') return own;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(member)}`);
          return own.apply(target, args);
        };
      },
    });
  return Object.fromEntries(names.map((name) => [name, watch(name)]));
}

describe('e-mail addresses at the sign-in', () => {
  const password = 'correct horse battery';
  const calls: string[] = [];
  let service: TestApp;
  let attempts: Readonly<Record<string, readonly [email: string, sent: string]>>;
  beforeAll(async () => {
    // Audit events are written later, and sampled.
    const watched = ['users', 'sessions', 'rateLimiter', 'serviceKeys', 'control'] as const;
    service = await openTestApp({
      limits: { signInFailuresPerMinute: 10_000 },
      replace: (backend) => watchCalls(backend, watched, calls),
    });
    const passwordHash = await new PasswordHasher().hash(password);
    const users = {
      enabled: aUser({ passwordHash }),
      disabled: aUser({ passwordHash, disabled: true }),
      unchanged: aUser({ passwordHash, mustChangePassword: true }),
      external: aUser({ passwordHash: null, identity: { issuer: 'https://id.example', subject: randomUUID() } }),
    };
    for (const user of Object.values(users)) await service.backend.users.insert(user);
    attempts = {
      'unknown account': [`${randomUUID()}@example.com`, password],
      'wrong password': [users.enabled.email, 'wrong'],
      'long wrong password': [users.enabled.email, 'w'.repeat(3_000)],
      'disabled account': [users.disabled.email, password],
      'disabled account, wrong password': [users.disabled.email, 'wrong'],
      'account with a password to change': [users.unchanged.email, 'wrong'],
      'account of the identity provider': [users.external.email, password],
      'not an address': ['nobody', password],
    };
    // The hasher and the statements of the store are made at the first call.
    for (const attempt of Object.values(attempts)) await signIn(attempt);
  });
  afterAll(() => service.close());

  const signIn = ([email, sent]: readonly [string, string]) =>
    service.post('/api/v1/session', { email, password: sent });

  test('get the same answer, byte by byte but for the id of the request', async () => {
    const answers = new Map<string, string>();
    for (const [name, attempt] of Object.entries(attempts)) {
      const { statusCode, headers, body } = await signIn(attempt);
      const id = String(headers['x-request-id']);
      const { date: _, ratelimit: __, ...others } = headers;
      answers.set(name, JSON.stringify({ statusCode, others, body }).replaceAll(id, 'ID'));
    }
    expect(new Set(answers.values()).size, [...answers].join('\n')).toBe(1);
  });

  test('cost the same calls of the stores', async () => {
    const callsOf = async (name: string) => {
      calls.length = 0;
      await signIn(attempts[name]!);
      return [...calls];
    };
    const expected = await callsOf('unknown account');
    expect(expected).toContain('users.find');
    for (const name of Object.keys(attempts)) expect(await callsOf(name), name).toEqual(expected);
  });

  test('cost the same processor time: one hash of a password', async () => {
    const names = Object.keys(attempts);
    const samples = new Map<string, number[]>(names.map((name) => [name, []]));
    for (let round = 0; round < 4; round += 1) {
      for (const name of names) {
        const before = process.cpuUsage();
        await signIn(attempts[name]!);
        const { user, system } = process.cpuUsage(before);
        samples.get(name)?.push(user + system);
      }
    }
    const expected = median(samples.get('wrong password') ?? []);
    for (const [name, values] of samples) {
      // Without the hash, it would be a hundredth.
      expect(median(values) / expected, name).toBeGreaterThan(0.5);
      expect(median(values) / expected, name).toBeLessThan(2);
    }
  });
});

describe('tokens', async () => {
  const samplesPerKind = 45;
  const service = await openSharedService();
  const http = createHttpSender(service.url);
  afterAll(() => http.close());

  interface TokenKind {
    readonly prefix: 'wst' | 'wht' | 'wpt';
    /** Issues a token that is no longer valid. */
    readonly issue: (backend: Backend, how: 'revoked' | 'expired') => Promise<string>;
    readonly send: (token: string) => Promise<TestResponse>;
  }

  const past = () => new Date(Date.now() - 60_000);
  const json = { 'content-type': 'application/json' };
  const kinds: Readonly<Record<string, TokenKind>> = {
    'of streams': {
      prefix: 'wst',
      issue: async (backend, how) => {
        const { grant, token } = await issueSubscription(backend, how === 'expired' ? { expiresAt: past() } : {});
        if (how === 'revoked') await backend.subscriptions.remove(grant.id);
        return token;
      },
      send: (token) => http.send({ method: 'GET', path: `/api/v1/events/${token}` }),
    },
    'of hooks': {
      prefix: 'wht',
      issue: async (backend, how) => {
        const { grant, token } = await issueIntegration(backend, how === 'expired' ? { expiresAt: past() } : {});
        if (how === 'revoked') await backend.integrations.remove(grant.id);
        return token;
      },
      send: (token) =>
        http.send({ method: 'POST', path: `/api/v1/events/hooks/${token}`, headers: json, body: '{"kind":"updated"}' }),
    },
    'of scripts': {
      prefix: 'wpt',
      issue: async (backend, how) => {
        const { grant, token } = await issueProvisionToken(backend, how === 'expired' ? { expiresAt: past() } : {});
        if (how === 'revoked') await backend.provisionTokens.remove(grant.id);
        return token;
      },
      send: (token) => {
        const headers = { ...json, authorization: `Bearer ${token}` };
        return http.send({ method: 'POST', path: '/api/v1/widgets', headers, body: '{"name":"x"}' });
      },
    },
  };

  test.each(Object.keys(kinds))('%s: unknown, revoked and expired ones take the same time', async (name) => {
    const { prefix, issue, send } = kinds[name]!;
    const tokens: Readonly<Record<'unknown' | 'revoked' | 'expired', string[]>> = {
      unknown: [],
      revoked: [],
      expired: [],
    };
    for (let index = 0; index < samplesPerKind; index += 1) {
      tokens.unknown.push(mintToken(prefix));
      tokens.revoked.push(await issue(service.backend, 'revoked'));
      tokens.expired.push(await issue(service.backend, 'expired'));
    }
    for (let index = 0; index < 20; index += 1) await send(mintToken(prefix));

    const times: Record<keyof typeof tokens, number[]> = { unknown: [], revoked: [], expired: [] };
    const order = Object.keys(tokens) as (keyof typeof tokens)[];
    for (let index = 0; index < samplesPerKind; index += 1) {
      // Each state is sent first, second and third equally often.
      for (let place = 0; place < order.length; place += 1) {
        const state = order[(index + place) % order.length]!;
        const startedAtMs = performance.now();
        const { statusCode } = await send(tokens[state][index] ?? '');
        times[state].push(performance.now() - startedAtMs);
        expect(statusCode).toBeGreaterThanOrEqual(400);
      }
    }
    for (const state of ['revoked', 'expired'] as const) {
      // 0.5 if the state does not matter, with a standard deviation of 0.06. One more look-up gives more than 0.9.
      const share = computeShareOfSlower(times[state], times.unknown);
      expect(share, state).toBeGreaterThan(0.2);
      expect(share, state).toBeLessThan(0.8);
    }
  });
});

/** In how many of all pairs the value of `first` is greater (Mann-Whitney U, as a share). */
function computeShareOfSlower(first: readonly number[], second: readonly number[]): number {
  const slower = first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return slower.reduce<number>((sum, value) => sum + value, 0) / slower.length;
}
