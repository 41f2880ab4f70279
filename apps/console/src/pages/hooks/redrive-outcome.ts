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
  const reasons = new Set(dead.flatMap(({ reason }) => (reason === null ? [] : [reason])));
  return { published: settled.length - dead.length, dead: dead.length, waiting, reasons: [...reasons] };
}
