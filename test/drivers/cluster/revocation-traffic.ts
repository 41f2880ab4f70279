import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleClient } from '../app/console-client.ts';
import type { createStreamTraffic } from '../streams/stream-traffic.ts';
import type { Recording } from './recording.ts';

export interface RevocationTrafficOptions {
  readonly client: ConsoleClient;
  readonly recording: Recording;
  readonly streams: Pick<ReturnType<typeof createStreamTraffic>, 'subscribe' | 'open'>;
}

const streamsPerSubscription = 3;
const openForMs = 1_500;
const repeatAfterMs = 500;
const attemptsMax = 60;

/**
 * Returns a function that creates a subscription, opens streams on it, and revokes it after 1.5 s. It repeats the
 * revocation until the service confirms it, at most 60 times.
 */
export function createRevocationTraffic({ client, recording, streams }: RevocationTrafficOptions) {
  return async (): Promise<void> => {
    // A store may be unavailable. Then this call revokes nothing.
    const subscription = await streams.subscribe({}).catch(() => null);
    if (subscription === null) return;
    for (let opened = 0; opened < streamsPerSubscription; opened += 1) streams.open(subscription);
    await delay(openForMs);
    const path = `/api/v1/subscriptions/${subscription.id}`;
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const status = await client.request('DELETE', path).then(
        (response) => response.status,
        () => 0,
      );
      // A 404 after an unanswered attempt also confirms the revocation, but not since when it applies on every pod.
      if (status === 204 || status === 404) {
        const revocation = { subscriptionId: subscription.id, acknowledgedAtWallMs: Date.now() };
        const acknowledgedAtMs = status === 204 ? performance.now() : null;
        recording.revocations.push({ ...revocation, acknowledgedAtMs });
        return;
      }
      await delay(repeatAfterMs);
    }
    recording.revocations.push({
      subscriptionId: subscription.id,
      acknowledgedAtMs: null,
      acknowledgedAtWallMs: Date.now(),
    });
  };
}
