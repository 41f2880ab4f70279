import { randomUUID } from 'node:crypto';
import { type HookRefusal, refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';

function aRefusal(overrides: Partial<HookRefusal> = {}): HookRefusal {
  return {
    integrationId: randomUUID(),
    requestId: randomUUID(),
    refusedAt: new Date(),
    code: 'invalid-request',
    status: 400,
    detail: 'The request is not valid; "errors" names what is wrong.',
    errors: [{ detail: 'Must be given.', code: 'required', pointer: '#/kind' }],
    clientAddress: '198.51.100.7',
    webhookId: 'm1 "Ünï 🦄"',
    unlisted: 0,
    ...overrides,
  };
}

describe('RefusalStore', async () => {
  const testBackend = await openSharedBackend();
  const refusals = () => testBackend.backend.refusals;
  const listIds = async (integrationId: string) =>
    requireReadable(await refusals().list(integrationId)).map(({ requestId }) => requestId);

  test('returns refusals unchanged, and only those of the integration, also after a reopen', async () => {
    const full = aRefusal({ unlisted: 12 });
    const bare = aRefusal({ errors: [], clientAddress: null, webhookId: null, code: 'rate-limited', status: 429 });
    await refusals().add([full, bare]);
    await testBackend.reopen();
    expect(await refusals().list(full.integrationId)).toEqual([full]);
    expect(await refusals().list(bare.integrationId)).toEqual([bare]);
    expect(await refusals().list(randomUUID())).toEqual([]);
  });

  test('lists the newest first in any order of arrival, and by request id at the same time', async () => {
    const integrationId = randomUUID();
    const nowMs = Date.now();
    const at = (ms: number, requestId = randomUUID()) =>
      aRefusal({ integrationId, refusedAt: new Date(nowMs + ms), requestId });
    const [low, high] = [randomUUID(), randomUUID()].sort();
    const [first, third] = [at(0), at(2)];
    await refusals().add([third, at(1, low)]);
    await refusals().add([at(1, high), first]);
    expect(await listIds(integrationId)).toEqual([third.requestId, high, low, first.requestId]);
  });

  test('adds a refusal once, even if it is added again', async () => {
    const refusal = aRefusal();
    await refusals().add([refusal]);
    await refusals().add([refusal, refusal]);
    expect(await refusals().list(refusal.integrationId)).toEqual([refusal]);
  });

  test('keeps the newest of an integration up to the limit, and all of the others', async () => {
    const integrationId = randomUUID();
    const nowMs = Date.now();
    const other = aRefusal();
    const added = Array.from({ length: refusalLimits.perIntegration + 5 }, (_, index) =>
      aRefusal({ integrationId, refusedAt: new Date(nowMs + index) }),
    );
    await refusals().add([other]);
    await refusals().add(added.slice(0, 50));
    await refusals().add(added.slice(50));
    expect(await listIds(integrationId)).toEqual(
      added
        .slice(5)
        .map(({ requestId }) => requestId)
        .reverse(),
    );
    expect(await refusals().list(other.integrationId)).toEqual([other]);
  });

  test('drops a refusal that is older than the limit when it adds a new one, or removes what has expired', async () => {
    const integrationId = randomUUID();
    const old = aRefusal({ integrationId, refusedAt: new Date(Date.now() - refusalLimits.keepMs - 1_000) });
    await refusals().add([old]);
    const recent = aRefusal({ integrationId });
    await refusals().add([recent]);
    await testBackend.backend.removeExpired(new Date());
    expect(await refusals().list(integrationId)).toEqual([recent]);
  });

  test('deletes all of an integration for ever, also those that are added later, and no others', async () => {
    const [ended, other] = [aRefusal(), aRefusal()];
    await refusals().add([ended, other]);
    await refusals().delete(ended.integrationId);
    // As a pod adds it that still had it in memory.
    await refusals().add([aRefusal({ integrationId: ended.integrationId }), other]);
    expect(await refusals().list(ended.integrationId)).toEqual([]);
    expect(await refusals().list(other.integrationId)).toEqual([other]);
    await expect(refusals().delete(randomUUID())).resolves.toBeUndefined();
  });

  test('leaves none of an integration that ends while refusals are added', async () => {
    const { integrationId } = aRefusal();
    const adding = Array.from({ length: 20 }, () => refusals().add([aRefusal({ integrationId })]));
    await Promise.all([...adding, refusals().delete(integrationId), refusals().add([aRefusal({ integrationId })])]);
    expect(await refusals().list(integrationId)).toEqual([]);
  });
});
