import { makeTakeLocally } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { ConnectionRefusal } from '../http/connection-limits.ts';
import type { StreamHolder } from '../revocation/stream-entitlement.ts';
import { type ClosingReason, closingBytes } from './fan-out/closing-rules.ts';

/** How many streams may be open on this pod at once. */
interface StreamLimits {
  /** Per owner of the stream: a subscription, or a user with all his or her sessions. */
  readonly perOwner: number;
  readonly perPod: number;
}

/** Whether the stream may open. */
type AdmissionOutcome =
  /** The stream is counted. The caller must call `release` exactly once: when the stream ends or cannot be opened. */
  | { readonly status: 'admitted'; readonly release: () => void }
  /** The client gets a stream of one message, `stream.closing` with the reason. */
  | { readonly status: 'refused'; readonly reason: ClosingReason };

/**
 * Makes the function that counts this pod's streams and refuses those above the limits: with `overloaded` above
 * `perPod`, else with `too-many-connections` above `perOwner`.
 *
 * An owner may open twice as many streams at once as may be open, and then as many every 10 s: all clients of a pod
 * that died may come here, and come again. Beyond that, a stream is refused with `too-many-connections`.
 *
 * A stream counts from its request on, not only when it is open. Otherwise a crowd of simultaneous requests would pass
 * the limits.
 */
export function makeAdmitStream(limits: StreamLimits, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
  const mayOpen = makeTakeLocally({
    ratePerSecond: Math.max(10, limits.perOwner / 10),
    burst: Math.max(20, 2 * limits.perOwner),
  });
  const openByOwner = new Map<string, number>();
  let total = 0;
  return (holder: StreamHolder): AdmissionOutcome => {
    // A user is one owner: a second session gives the user no further streams.
    const key = holder.kind === 'session' ? `user ${holder.userId}` : `subscription ${holder.id}`;
    const open = openByOwner.get(key) ?? 0;
    if (total >= limits.perPod) return { status: 'refused', reason: 'overloaded' };
    if (open >= limits.perOwner) return { status: 'refused', reason: 'too-many-connections' };
    if (!mayOpen(key, clock.monotonicMs())) return { status: 'refused', reason: 'too-many-connections' };
    total += 1;
    openByOwner.set(key, open + 1);
    return {
      status: 'admitted',
      release: () => {
        total -= 1;
        const remaining = (openByOwner.get(key) ?? 0) - 1;
        if (remaining > 0) openByOwner.set(key, remaining);
        else openByOwner.delete(key);
      },
    };
  };
}

/** Returns the stream of a refused connection: one `stream.closing`. It counts as a refused stream. */
export function refuseConnection(metrics: Pick<Metrics, 'streamsRefused'>, refusal: ConnectionRefusal): Buffer {
  const reason: ClosingReason = refusal === 'per-pod' ? 'overloaded' : 'too-many-connections';
  metrics.streamsRefused.inc({ reason });
  return closingBytes(reason);
}
