import type { components } from '../interface.ts';
import type { FailureKind } from './failure-kind.ts';

/** The body of every refusal of the service (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** The service has refused a request. Decide by `code`: it is stable, the texts are not. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The kind of problem, for example `idempotency-key-reused`. */
  readonly code: Problem['code'];
  readonly status: number;
  /** Quote it when you ask for help. */
  readonly requestId: string;
  readonly problem: Problem;

  /** True if the same request may succeed later. Each other refusal stays the same however often you repeat it. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.code === 'request-timeout';
  }

  /** `outage` if it is temporary. */
  get kind(): FailureKind {
    return this.isTemporary ? 'outage' : 'refusal';
  }

  constructor(problem: Problem) {
    super(`${problem.title}: ${problem.detail} (${problem.status} ${problem.code}, request ${problem.requestId})`);
    this.code = problem.code;
    this.status = problem.status;
    this.requestId = problem.requestId;
    this.problem = problem;
  }
}

/** Reads a problem from a response. Returns null if the response has none: a proxy may have sent it. */
export async function readProblem(response: Response): Promise<Problem | null> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) {
    await response.body?.cancel();
    return null;
  }
  const body: unknown = await response.json().catch(() => null);
  return isProblem(body) && body.status === response.status ? body : null;
}

const textMembers = ['title', 'detail', 'code', 'requestId'] as const;

/** True if the value has the members of a problem of this service. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== 'object' || value === null) return false;
  const { status, errors = [], ...others } = value as Record<string, unknown>;
  return (
    typeof status === 'number' &&
    textMembers.every((name) => typeof others[name] === 'string') &&
    Array.isArray(errors) &&
    errors.every((mistake) => typeof mistake?.detail === 'string')
  );
}
