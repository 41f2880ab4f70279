import type { ClosingReason } from './frame.ts';

export interface AdmissionLimits {
  /** Streams of one subscription on this pod. */
  readonly perToken: number;
  readonly perPod: number;
}

export type AdmissionOutcome =
  /** Counted from now on; `leave` is to be called once, when the stream has ended or did not come about. */
  | { readonly status: 'admitted'; readonly leave: () => void }
  | { readonly status: 'refused'; readonly reason: ClosingReason };

/** Counts the pod's streams from the moment they are asked for, so that a crowd that comes at once is counted too. */
export function createAdmission(limits: AdmissionLimits) {
  const perSubscription = new Map<string, number>();
  let total = 0;
  return (subscriptionId: string): AdmissionOutcome => {
    const open = perSubscription.get(subscriptionId) ?? 0;
    if (total >= limits.perPod) return { status: 'refused', reason: 'overloaded' };
    if (open >= limits.perToken) return { status: 'refused', reason: 'too-many-connections' };
    total += 1;
    perSubscription.set(subscriptionId, open + 1);
    return {
      status: 'admitted',
      leave: () => {
        total -= 1;
        const left = (perSubscription.get(subscriptionId) ?? 0) - 1;
        if (left > 0) perSubscription.set(subscriptionId, left);
        else perSubscription.delete(subscriptionId);
      },
    };
  };
}
