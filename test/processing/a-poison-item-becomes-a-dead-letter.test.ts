import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError, UnstorableError } from '@widget-service/shared/domain/errors.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { expect, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import { consumeUntil, enqueue, shortPauseClock } from './consume.ts';

const testBackend = await openSharedBackend({ hookPartitions: 1 });

const unexpected = new TypeError('an error that passes');
const unavailable = new UnavailableError('the store does not answer');
const repeat = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

/** Enqueues the deliveries and consumes until `isDone`. `onRegister` runs before each registration, and may throw. */
async function consume(
  deliveries: readonly Delivery[],
  onRegister: (deliveries: readonly Delivery[]) => void,
  isDone: () => Promise<boolean>,
) {
  const { backend } = testBackend;
  const ledger = overrideMethod(backend.ledger, 'register', async (registered) => {
    onRegister(registered);
    return backend.ledger.register(registered);
  });
  await enqueue(backend, deliveries);
  return consumeUntil({ ...backend, ledger }, isDone);
}

const readState = async (delivery: Delivery) => (await testBackend.backend.ledger.get(delivery.eventId))?.state ?? null;

async function insertWidget(): Promise<string> {
  const creation = aCreation();
  await testBackend.backend.widgets.insertOnce(creation);
  return creation.widget.id;
}

test('dead-letters only the item that the store rejects when it is alone, and applies the others', async () => {
  const widgetId = await insertWidget();
  const [first, poison, last] = [aDelivery({ widgetId }), aDelivery({ widgetId }), aDelivery({ widgetId })];
  await consume(
    [first, poison, last],
    (registered) => {
      if (registered.some(({ eventId }) => eventId === poison.eventId))
        throw new UnstorableError('the delivery is too large');
    },
    async () => (await readState(last)) === 'published' && (await readState(poison)) === 'dead',
  );
  expect(await readState(first)).toBe('published');
  expect(await testBackend.backend.ledger.get(poison.eventId)).toMatchObject({
    state: 'dead',
    reason: 'store-refused',
    payload: poison.payload,
  });
  expect(await testBackend.backend.widgets.get(widgetId)).toMatchObject({ version: 3 });
});

test('dead-letters an item that fails with an unexpected error, after several tries alone', async () => {
  const widgetId = await insertWidget();
  const [other, poison] = [aDelivery({ widgetId }), aDelivery({ widgetId })];
  let triesAlone = 0;
  await consume(
    [other, poison],
    (registered) => {
      if (!registered.some(({ eventId }) => eventId === poison.eventId)) return;
      if (registered.length === 1) triesAlone += 1;
      throw new TypeError('a bug');
    },
    async () => (await readState(other)) === 'published' && (await readState(poison)) === 'dead',
  );
  expect(triesAlone).toBeGreaterThan(1);
  expect(await testBackend.backend.ledger.get(poison.eventId)).toMatchObject({ reason: 'invalid-delivery' });
  expect(await testBackend.backend.widgets.get(widgetId)).toMatchObject({ version: 2 });
});

test.each([
  ['an unexpected error that passes', repeat(2, unexpected)],
  ['many unavailable answers', repeat(12, unavailable)],
  ['many unavailable answers and one unexpected error', [...repeat(8, unavailable), unexpected]],
])('dead-letters nothing after %s', async (_, errors) => {
  const delivery = aDelivery({ widgetId: await insertWidget() });
  let registrations = 0;
  const metrics = await consume(
    [delivery],
    () => {
      const error = errors[registrations];
      registrations += 1;
      if (error !== undefined) throw error;
    },
    async () => (await readState(delivery)) === 'published',
  );
  expect(registrations).toBe(errors.length + 1);
  expect((await metrics.deliveriesDead.get()).values).toEqual([]);
});

test('dead-letters only the hooks of a widget that no run can read', async () => {
  const { backend } = testBackend;
  const [otherId, poisonId] = [await insertWidget(), await insertWidget()];
  const [other, poison] = [aDelivery({ widgetId: otherId }), aDelivery({ widgetId: poisonId })];
  const effects = overrideMethod(backend.effects, 'load', async (widgetIds) => {
    if (widgetIds.includes(poisonId)) throw new TypeError('the document cannot be read');
    return backend.effects.load(widgetIds);
  });
  await enqueue(backend, [poison, other]);
  await backend.hookQueue.enqueue({
    jobId: `job-${poisonId}`,
    partition: 0,
    items: [{ type: 'nudge', widgetId: poisonId }],
  });
  const isDone = async () => (await readState(other)) === 'published' && (await readState(poison)) === 'dead';
  await consumeUntil({ ...backend, effects }, isDone);
  expect(await backend.ledger.get(poison.eventId)).toMatchObject({ reason: 'invalid-delivery' });
});

/** Returns a logger, and the dead letters that it was told of. */
async function recordDeadLetters() {
  const lines: { readonly eventId: string; readonly cause: string }[] = [];
  const logger = await createLogger({ level: 'silent' });
  const error = (fields: (typeof lines)[number], message: string) => {
    if (message === 'delivery.dead') lines.push(fields);
  };
  return { logger: Object.assign(logger, { error }), lines };
}

test('logs why the store rejected a delivery, without its payload', async () => {
  await testBackend.rejectPayloads('outbox', 'unwanted');
  const { backend } = testBackend;
  const secretPayload = JSON.stringify({ reading: 'unwanted', secret: 'not for the log' });
  const widgetId = await insertWidget();
  const [other, poison] = [aDelivery({ widgetId }), aDelivery({ widgetId, payload: secretPayload })];
  const { logger, lines } = await recordDeadLetters();
  await enqueue(backend, [other, poison]);
  const isDone = async () => (await readState(other)) === 'published' && lines.length > 0;
  await consumeUntil(backend, isDone, shortPauseClock, logger);
  await testBackend.rejectPayloads('outbox', null);
  const cause = expect.stringMatching(/^MongoDB: \d+ .*validation|^SQLite: this payload is rejected/);
  expect(lines).toMatchObject([{ eventId: poison.eventId, cause }]);
  expect(JSON.stringify(lines)).not.toContain('not for the log');
});

test('logs why an item failed that was dead-lettered alone', async () => {
  const { backend } = testBackend;
  const delivery = aDelivery({ widgetId: await insertWidget() });
  const ledger = overrideMethod(backend.ledger, 'register', async () => {
    throw new UnstorableError(`the delivery is too large: ${'x'.repeat(1_000)}`);
  });
  const { logger, lines } = await recordDeadLetters();
  await enqueue(backend, [delivery]);
  const isDead = async () => (await readState(delivery)) === 'dead';
  await consumeUntil({ ...backend, ledger }, isDead, shortPauseClock, logger);
  expect(lines).toMatchObject([
    { eventId: delivery.eventId, cause: expect.stringMatching(/^the delivery is too large/) },
  ]);
  expect(lines[0]?.cause.length).toBeLessThanOrEqual(300);
});
