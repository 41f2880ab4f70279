import type { components } from '../interface.ts';

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

  constructor(problem: Problem) {
    super(`${problem.title}: ${problem.detail} (${problem.status} ${problem.code}, request ${problem.requestId})`);
    this.code = problem.code;
    this.status = problem.status;
    this.requestId = problem.requestId;
    this.problem = problem;
  }
}

/** Something between this client and the service has answered: the response is no problem of the service. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';
  readonly status: number;

  constructor(status: number) {
    super(`the response ${status} does not come from Widget Service: a proxy may have sent it`);
    this.status = status;
  }
}

/** Reads a problem from a response. Returns null if the response has none: a proxy may have sent it. */
export async function readProblem(response: Response): Promise<Problem | null> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) {
    await response.body?.cancel();
    return null;
  }
  const body: unknown = await response.json().catch(() => null);
  return isProblem(body) ? body : null;
}

/** True if the value has the members of a problem of this service. */
export function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'status' in value && 'requestId' in value;
}
