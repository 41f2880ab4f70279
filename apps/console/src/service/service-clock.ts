import { signal } from '@preact/signals';

/** How far the clock of this machine is ahead of the service's, in milliseconds. 0 as long as they agree. */
export const clockErrorMs = signal(0);

/** A smaller difference is no error: `Date` has whole seconds, and clocks are corrected in small steps. */
const toleranceMs = 5_000;

/** The time of the service, in milliseconds since 1970: everything that the page shows was stored by that clock. */
export function readServiceMs(): number {
  return Date.now() - clockErrorMs.value;
}

/** Compares the clocks by the `Date` of a response. The service wrote it while the request ran. */
export function compareClocks(headers: Headers, startedAtMs: number, answeredAtMs: number): void {
  const serviceMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(serviceMs)) return;
  // `doubtMs`: how far the estimate can be wrong, from the duration of the request and the whole seconds of `Date`.
  const doubtMs = (answeredAtMs - startedAtMs + 1_000) / 2;
  const errorMs = (startedAtMs + answeredAtMs) / 2 - (serviceMs + 500);
  if (Math.abs(errorMs - clockErrorMs.peek()) <= toleranceMs + doubtMs) return;
  clockErrorMs.value = Math.abs(errorMs) <= toleranceMs + doubtMs ? 0 : errorMs;
}
