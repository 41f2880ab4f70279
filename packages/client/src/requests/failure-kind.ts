/**
 * Whose matter a failure is, and so what helps:
 *
 * - `caller`: nothing that was passed, or no answer at this address, can ever do. Another call, address or certificate
 *   helps.
 * - `refusal`: the service has said no, for good.
 * - `outage`: nobody has answered, or somebody who cannot answer now. The same call may succeed later.
 */
export type FailureKind = 'caller' | 'refusal' | 'outage';

/** The kind of an error of this library. Null for every other error, for example the reason of an aborted signal. */
export function readFailureKind(error: unknown): FailureKind | null {
  const kind = error instanceof Error && 'kind' in error ? error.kind : null;
  return kind === 'caller' || kind === 'refusal' || kind === 'outage' ? kind : null;
}
