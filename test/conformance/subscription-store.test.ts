import { randomUUID } from 'node:crypto';
import { digestOf } from '@widget-service/shared/domain/token.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awkwardTexts, someTime } from '../support/builders.ts';
import { openTestBackend } from '../support/open-test-backend.ts';
import type { TestBackend } from '../support/test-backend.ts';

function aSubscription(overrides: Partial<Subscription> = {}): Subscription {
  return {
    id: randomUUID(),
    name: 'A subscription',
    tokenDigest: digestOf(randomUUID()),
    createdAt: someTime,
    ...overrides,
  };
}

describe('SubscriptionStore', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const subscriptions = () => store.backend.subscriptions;

  it('finds a subscription by the digest of its token, as it was', async () => {
    const [one, other] = [aSubscription(), aSubscription()];
    await subscriptions().insert(one);
    await subscriptions().insert(other);
    expect(await subscriptions().findByTokenDigest(one.tokenDigest)).toEqual(one);
    expect(await subscriptions().findByTokenDigest(other.tokenDigest)).toEqual(other);
  });

  it('finds none by an unknown digest', async () => {
    await subscriptions().insert(aSubscription());
    expect(await subscriptions().findByTokenDigest(digestOf(randomUUID()))).toBeNull();
    expect(await subscriptions().findByTokenDigest('')).toBeNull();
  });

  it.each(['', ...awkwardTexts])('keeps the name %j', async (name) => {
    const subscription = aSubscription({ name });
    await subscriptions().insert(subscription);
    expect(await subscriptions().findByTokenDigest(subscription.tokenDigest)).toEqual(subscription);
  });

  it('keeps subscriptions across a reopen', async () => {
    const subscription = aSubscription();
    await subscriptions().insert(subscription);
    await store.reopen();
    expect(await subscriptions().findByTokenDigest(subscription.tokenDigest)).toEqual(subscription);
  });
});
