import type { StreamHolder } from '../auth/stream-entitlement.ts';
import type { ClosingReason } from './frame.ts';

export interface AdmissionLimits {
  /** Streams of one subscription, or one person's own, on this pod. */
  readonly perToken: number;
  readonly perPod: number;
}

export type AdmissionOutcome =
  /** Counted from now on; `leave` is to be called once, when the stream has ended or did not come about. */
  | { readonly status: 'admitted'; readonly release: () => void }
  | { readonly status: 'refused'; readonly reason: ClosingReason };

/** Counts the pod's streams from the moment they are asked for, so that a crowd that comes at once is counted too. */
export function makeAdmitStream(limits: AdmissionLimits) {
  const openByOwner = new Map<string, number>();
  let total = 0;
  return (holder: StreamHolder): AdmissionOutcome => {
    // Signing in again does not make room for more.
    const owner = holder.kind === 'session' ? `user ${holder.userId}` : `subscription ${holder.id}`;
    const open = openByOwner.get(owner) ?? 0;
    if (total >= limits.perPod) return { status: 'refused', reason: 'overloaded' };
    if (open >= limits.perToken) return { status: 'refused', reason: 'too-many-connections' };
    total += 1;
    openByOwner.set(owner, open + 1);
    return {
      status: 'admitted',
      release: () => {
        total -= 1;
        const left = (openByOwner.get(owner) ?? 0) - 1;
        if (left > 0) openByOwner.set(owner, left);
        else openByOwner.delete(owner);
      },
    };
  };
}
