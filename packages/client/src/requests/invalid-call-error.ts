import type { FailureKind } from './failure-kind.ts';

/** What you have passed cannot be sent, for example an address without `https://`. Nothing was sent. */
export class InvalidCallError extends Error {
  override readonly name = 'InvalidCallError';
  readonly kind: FailureKind = 'caller';
}
