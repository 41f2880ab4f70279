import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleClient } from './console-client.ts';
import type { Recording } from './recording.ts';
import type { createStreamTraffic } from './stream-traffic.ts';

export interface RevocationTrafficOptions {
  readonly client: ConsoleClient;
  readonly recording: Recording;
  readonly streams: Pick<ReturnType<typeof createStreamTraffic>, 'subscribe' | 'open'>;
}

const streamsEach = 3;
const openForMs = 1_500;
const repeatAfterMs = 500;
const repetitions = 60;

/** Subscribes, lets streams run for a moment, and revokes: as often as it takes until the service says that it is done. */
export function createRevocationTraffic({ client, recording, streams }: RevocationTrafficOptions) {
  return async (): Promise<void> => {
    // A store may be away: then there is nothing to revoke this time.
    const subscription = await streams.subscribe({}).catch(() => null);
    if (subscription === null) return;
    for (let opened = 0; opened < streamsEach; opened += 1) streams.open(subscription);
    await delay(openForMs);
    const path = `/api/v1/subscriptions/${subscription.id}`;
    for (let tries = 0; tries < repetitions; tries += 1) {
      const status = await client.request('DELETE', path).then(
        (response) => response.status,
        () => 0,
      );
      // 404 after an unanswered try says that it is revoked too, but not since when it was known everywhere.
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
