import type { Schemas } from '../../service/service.ts';

type Condition = Schemas['Overview']['conditions'][number];

/** A kind of problem: all conditions with its code. */
export interface Problem {
  readonly code: string;
  readonly severity: Condition['severity'];
  /** At least one. */
  readonly conditions: readonly Condition[];
}

/** Groups conditions by their code, in the order of the service: urgent ones first. */
export function groupConditions(conditions: readonly Condition[]): Problem[] {
  const byCode = Map.groupBy(conditions, ({ code }) => code);
  return [...byCode].map(([code, ofCode]) => ({
    code,
    severity: ofCode.some(({ severity }) => severity === 'page') ? 'page' : 'ticket',
    conditions: ofCode,
  }));
}
