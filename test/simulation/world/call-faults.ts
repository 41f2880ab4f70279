import type { Fault } from './plan.ts';

type CallFault = Extract<Fault, { kind: 'call' }>;
type PlacedFault = Extract<Fault, { moment: 'before' | 'after' }>;

/** The faults that are planned for one call. */
export interface PlannedFaults {
  readonly fault: CallFault | null;
  readonly before: readonly PlacedFault[];
  readonly after: readonly PlacedFault[];
}

const noFaults: PlannedFaults = { fault: null, before: [], after: [] };

/** Counts the calls of each role, and returns the faults that are planned for each. */
export class CallFaults {
  readonly #counts = new Map<string, number>();
  readonly #planned = new Map<string, PlannedFaults>();
  #isStopped = false;

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) {
      if (!('call' in fault)) continue;
      const key = `${fault.role} ${fault.call} ${fault.nth}`;
      const known = this.#planned.get(key) ?? noFaults;
      this.#planned.set(key, fault.kind === 'call' ? { ...known, fault } : addFault(known, fault));
    }
  }

  /** From now on, no call has a fault. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Returns the faults of the next call with this name. Call it once per call. */
  next(processName: string, call: string): PlannedFaults {
    if (this.#isStopped || this.#planned.size === 0) return noFaults;
    const place = `${processName.startsWith('pod') ? 'pod' : 'worker'} ${call}`;
    const nth = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, nth);
    return this.#planned.get(`${place} ${nth}`) ?? noFaults;
  }
}

function addFault(known: PlannedFaults, fault: PlacedFault): PlannedFaults {
  return { ...known, [fault.moment]: [...known[fault.moment], fault] };
}
