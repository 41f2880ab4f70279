import type { Schemas } from '../../service/service.ts';

type Delivery = Pick<Schemas['Delivery'], 'eventId' | 'state' | 'attempts' | 'reason'>;

/** What became of redriven deliveries. */
export interface RedriveOutcome {
  readonly published: number;
  /** How many are dead again. */
  readonly dead: number;
  /** How many are not processed yet. */
  readonly waiting: number;
  /** Why they are dead again, each reason once. */
  readonly reasons: readonly NonNullable<Delivery['reason']>[];
  /** How many the queue did not accept. */
  readonly failed: number;
  /** How many exist no longer, or belong to a deleted integration. */
  readonly gone: number;
}

/**
 * Whether the service has finished with a redriven delivery. It stays dead until a worker takes it up, which counts an
 * attempt. `attemptsBefore` is the number of attempts at the time of the redrive.
 */
export function isSettled({ state, attempts }: Delivery, attemptsBefore: number): boolean {
  return state === 'dead' ? attempts > attemptsBefore : state !== 'received';
}

/** Counts what became of the settled deliveries. `waiting` is how many others were redriven. */
export function summarizeRedrive(settled: readonly Delivery[], waiting: number): RedriveOutcome {
  const dead = settled.filter(({ state }) => state === 'dead');
  const published = settled.filter(({ state }) => state === 'published').length;
  const reasons = new Set(dead.flatMap(({ reason }) => (reason === null ? [] : [reason])));
  return { published, dead: dead.length, waiting, reasons: [...reasons], failed: 0, gone: 0 };
}

interface SortedReport<Redriven> {
  /** The service processes them, or somebody else has redriven them: their outcome can be read. */
  readonly followed: readonly Redriven[];
  readonly failed: number;
  readonly gone: number;
}

/** Tells the deliveries that were queued from those that were not. */
export function sortReport<Redriven extends { readonly eventId: string }>(
  deliveries: readonly Redriven[],
  reports: readonly Schemas['Redrive'][],
): SortedReport<Redriven> {
  const outcomes = new Map(reports.map(({ eventId, outcome }) => [eventId, outcome]));
  const select = (...wanted: Schemas['Redrive']['outcome'][]) =>
    deliveries.filter(({ eventId }) => wanted.includes(outcomes.get(eventId) ?? 'failed'));
  return {
    followed: select('redriven', 'not-dead'),
    failed: select('failed').length,
    gone: select('not-found').length,
  };
}
