import { randomUUID } from 'node:crypto';
import { type HookSample, sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';
import { eventually } from '../drivers/tools/eventually.ts';

const hourMs = 3_600_000;

function aSample(overrides: Partial<HookSample> = {}): HookSample {
  return {
    integrationId: randomUUID(),
    requestId: randomUUID(),
    receivedAt: new Date(),
    code: 'hook-not-mappable',
    refusal: { step: 'kind', reason: 'there is no text', pointer: '#/action' },
    headers: { 'content-type': ['application/json'], 'x-twice': ['1', '2'] },
    withheldHeaders: ['authorization'],
    body: '{"number":1.10,"text":"Ünï 🦄 \\u0000"}',
    ...overrides,
  };
}

describe('SampleStore', async () => {
  const testBackend = await openSharedBackend();
  const store = () => testBackend.backend.samples;
  const inAnHour = () => new Date(Date.now() + hourMs);
  const listIds = async (integrationId: string) =>
    requireReadable((await store().find(integrationId, new Date())).samples).map(({ requestId }) => requestId);

  test('keeps nothing unless it was asked to', async () => {
    const sample = aSample();
    await store().add(sample);
    expect(await store().find(sample.integrationId, new Date())).toEqual({ until: null, samples: [] });
    await store().keepUntil(sample.integrationId, inAnHour());
    expect(await listIds(sample.integrationId)).toEqual([]);
  });

  test('returns samples unchanged, and only those of the integration, also after a reopen', async () => {
    const [one, other] = [aSample(), aSample({ refusal: { step: 'body', reason: 'no JSON' } })];
    const until = inAnHour();
    for (const { integrationId } of [one, other]) await store().keepUntil(integrationId, until);
    await store().add(one);
    await store().add(other);
    await testBackend.reopen();
    expect(await store().find(one.integrationId, new Date())).toEqual({ until, samples: [one] });
    expect(await store().find(other.integrationId, new Date())).toEqual({ until, samples: [other] });
  });

  test('lists the newest first, by request id at the same time, each once', async () => {
    const integrationId = randomUUID();
    const nowMs = Date.now();
    const at = (ms: number, requestId = randomUUID()) =>
      aSample({ integrationId, receivedAt: new Date(nowMs + ms), requestId });
    const [low, high] = [randomUUID(), randomUUID()].sort();
    const [first, third] = [at(0), at(2)];
    await store().keepUntil(integrationId, inAnHour());
    for (const sample of [third, at(1, low), at(1, high), first, third]) await store().add(sample);
    expect(await listIds(integrationId)).toEqual([third.requestId, high, low, first.requestId]);
  });

  test('keeps the newest up to the limit', async () => {
    const integrationId = randomUUID();
    const nowMs = Date.now();
    const added = Array.from({ length: sampleLimits.perIntegration + 3 }, (_, index) =>
      aSample({ integrationId, receivedAt: new Date(nowMs + index) }),
    );
    await store().keepUntil(integrationId, inAnHour());
    for (const sample of added) await store().add(sample);
    const newest = added.slice(3).map(({ requestId }) => requestId);
    expect(await listIds(integrationId)).toEqual(newest.reverse());
  });

  test('deletes all of an integration, keeps no more, and begins anew', async () => {
    const [sample, other] = [aSample(), aSample()];
    const { integrationId } = sample;
    for (const kept of [sample, other]) {
      await store().keepUntil(kept.integrationId, inAnHour());
      await store().add(kept);
    }
    await store().delete(integrationId);
    // As a pod adds it that has not heard of the deletion.
    await store().add(aSample({ integrationId }));
    expect(await store().find(integrationId, new Date())).toEqual({ until: null, samples: [] });
    expect(await listIds(other.integrationId)).toEqual([other.requestId]);
    await store().keepUntil(integrationId, inAnHour());
    expect(await listIds(integrationId)).toEqual([]);
    await store().add(sample);
    expect(await listIds(integrationId)).toEqual([sample.requestId]);
  });

  test('deletes nothing where nothing is kept', async () => {
    await expect(store().delete(randomUUID())).resolves.toBeUndefined();
  });

  test('a later end keeps the samples that are there, and after the end there are none', async () => {
    const sample = aSample();
    const { integrationId } = sample;
    const until = inAnHour();
    await store().keepUntil(integrationId, new Date(Date.now() + hourMs / 2));
    await store().add(sample);
    await store().keepUntil(integrationId, until);
    await store().keepUntil(integrationId, until);
    expect(await store().find(integrationId, new Date(until.getTime() - 1))).toEqual({ until, samples: [sample] });
    expect(await store().find(integrationId, until)).toEqual({ until: null, samples: [] });
  });

  test('deletes the samples by itself once they are no longer kept', async () => {
    const sample = aSample();
    const { integrationId } = sample;
    await store().keepUntil(integrationId, inAnHour());
    await store().add(sample);
    await store().keepUntil(integrationId, new Date(Date.now() + 20));
    await eventually(async () => {
      await testBackend.backend.removeExpired(new Date());
      return (await store().find(integrationId, new Date(0))).until === null;
    }, 'the samples are no longer kept');
    await store().keepUntil(integrationId, inAnHour());
    expect(await listIds(integrationId)).toEqual([]);
  });

  test('ends each sample a day after its arrival, however often samples are kept anew', async () => {
    const integrationId = randomUUID();
    const nowMs = Date.now();
    const dayMs = sampleLimits.keepSecondsMax * 1_000;
    const inADay = () => store().keepUntil(integrationId, new Date(Date.now() + dayMs));
    const listAt = async (at: number) =>
      requireReadable((await store().find(integrationId, new Date(at))).samples).map(({ requestId }) => requestId);
    const old = aSample({ integrationId, receivedAt: new Date(nowMs - dayMs + hourMs) });
    const recent = aSample({ integrationId, receivedAt: new Date(nowMs) });
    await inADay();
    for (const sample of [old, recent]) await store().add(sample);
    await inADay();
    expect(await listAt(nowMs)).toEqual([recent.requestId, old.requestId]);
    expect(await listAt(nowMs + hourMs - 1)).toEqual([recent.requestId, old.requestId]);
    expect(await listAt(nowMs + hourMs)).toEqual([recent.requestId]);
  });

  test('deletes a sample that is a day old by itself, although samples are still kept', async () => {
    const integrationId = randomUUID();
    const dayMs = sampleLimits.keepSecondsMax * 1_000;
    await store().keepUntil(integrationId, inAnHour());
    await store().add(aSample({ integrationId, receivedAt: new Date(Date.now() - dayMs + 50) }));
    await store().keepUntil(integrationId, inAnHour());
    await eventually(async () => {
      await testBackend.backend.removeExpired(new Date());
      // As if a day had not passed yet: what is still stored would be found.
      return (await store().find(integrationId, new Date(Date.now() - hourMs))).samples.length === 0;
    }, 'the old sample is gone');
  });
});
