import type { Fault } from './plan.ts';

type CallFault = Extract<Fault, { kind: 'call' }>;
type PlacedFault = Extract<Fault, { moment: 'before' | 'after' }>;

/** What is planned for one call. */
export interface PlannedCall {
  readonly fault: CallFault | null;
  readonly before: readonly PlacedFault[];
  readonly after: readonly PlacedFault[];
}

const nothing: PlannedCall = { fault: null, before: [], after: [] };

/** Counts the calls of each role, and knows what is planned for which. */
export class FaultPlaces {
  readonly #counts = new Map<string, number>();
  readonly #planned = new Map<string, PlannedCall>();
  #isOver = false;

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) {
      if (!('call' in fault)) continue;
      const key = `${fault.role} ${fault.call} ${fault.nth}`;
      const known = this.#planned.get(key) ?? nothing;
      this.#planned.set(key, fault.kind === 'call' ? { ...known, fault } : addTo(known, fault));
    }
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    this.#isOver = true;
  }

  /** To be asked once per call. */
  next(processName: string, call: string): PlannedCall {
    if (this.#isOver || this.#planned.size === 0) return nothing;
    const of = `${processName.startsWith('pod') ? 'pod' : 'worker'} ${call}`;
    const nth = (this.#counts.get(of) ?? 0) + 1;
    this.#counts.set(of, nth);
    return this.#planned.get(`${of} ${nth}`) ?? nothing;
  }
}

function addTo(known: PlannedCall, fault: PlacedFault): PlannedCall {
  return { ...known, [fault.moment]: [...known[fault.moment], fault] };
}
