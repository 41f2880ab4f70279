import { makeStoreRefused } from '@widget-service/api/hooks/intake-recorder.ts';
import { refusalLimits, sampleLimits } from '@widget-service/shared/entities/refused-request.ts';
import { afterAll, expect, test } from 'vitest';
import { aRefusal, aSample } from '../drivers/app/builders.ts';
import { issueIntegration } from '../drivers/app/issue-grants.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';

const testBackend = await openTestBackend();
const { backend } = testBackend;
afterAll(() => testBackend.dispose());

const all = { offset: 0, limit: 200 };
const hourMs = 3_600_000;
const storeRefusals = makeStoreRefused(backend.refusals, refusalLimits.perIntegration, ({ integrationId }) =>
  backend.integrations.count({ id: integrationId }, 1),
);
const storeSamples = makeStoreRefused(backend.samples, sampleLimits.perIntegration, ({ integrationId }) =>
  backend.integrations.count({ id: integrationId, samplesKeptUntil: { above: new Date() } }, 1),
);
const issue = async (samplesKeptUntil: Date | null = null) =>
  (await issueIntegration(backend, { samplesKeptUntil })).grant.id;
/** As the use case removes an integration. */
async function end(integrationId: string): Promise<void> {
  await backend.integrations.remove(integrationId);
  await backend.refusals.removeAll({ integrationId });
}

test('keeps the newest of an integration up to the limit, each once, and all of the others', async () => {
  const [id, otherId] = [await issue(), await issue()];
  const nowMs = Date.now();
  const stored = Array.from({ length: refusalLimits.perIntegration + 5 }, (_, index) =>
    aRefusal({ integrationId: id, refusedAt: new Date(nowMs + index) }),
  );
  const other = aRefusal({ integrationId: otherId });
  await storeRefusals([other, ...stored.slice(0, 50)]);
  await storeRefusals([other, ...stored.slice(50)]);
  expect(await backend.refusals.list({ integrationId: id }, all)).toEqual(stored.slice(5).reverse());
  expect(await backend.refusals.list({ integrationId: otherId }, all)).toEqual([other]);
});

test('leaves none of an integration that ends while refusals are stored, or ended before, and all of others', async () => {
  const [id, otherId] = [await issue(), await issue()];
  const other = aRefusal({ integrationId: otherId });
  const store = () => storeRefusals([aRefusal({ integrationId: id }), other]);
  await Promise.all([...Array.from({ length: 20 }, store), end(id), store()]);
  expect(await backend.refusals.list({ integrationId: id }, all)).toEqual([]);
  await store();
  expect(await backend.refusals.list({ integrationId: id }, all)).toEqual([]);
  expect(await backend.refusals.list({ integrationId: otherId }, all)).toEqual([other]);
});

test('leaves no sample that nobody wants, or wants any more', async () => {
  const ids = [await issue(), await issue(new Date(Date.now() - 1)), await issue(new Date(Date.now() + hourMs))];
  await storeSamples(ids.map((integrationId) => aSample({ integrationId })));
  const left = await Promise.all(ids.map((integrationId) => backend.samples.count({ integrationId }, 10)));
  expect(left).toEqual([0, 0, 1]);
});

// MongoDB removes them by an index (mongo-indexes.test.ts).
test.runIf(backend.kind === 'embedded')('expired ones are removed', async () => {
  const expiresAt = new Date(Date.now() - 1_000);
  const [old, recent] = [aSample({ expiresAt }), aSample()];
  const refusal = aRefusal({ expiresAt });
  for (const sample of [old, recent]) await backend.samples.insert(sample);
  await backend.refusals.insert(refusal);
  await backend.removeExpired(new Date());
  expect(await backend.samples.get(old.requestId)).toBeNull();
  expect(await backend.refusals.get(refusal.requestId)).toBeNull();
  expect(await backend.samples.get(recent.requestId)).toEqual(recent);
});
