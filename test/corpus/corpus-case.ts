import type { MistakeCode } from '@widget-service/api/http/problem.ts';
import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';

/** Whose cookie and CSRF token a case is sent with. */
export type CorpusCaller = 'admin' | 'editor' | 'viewer';

/** Where a refused request is wrong, and in which way. */
type CorpusMistake = { readonly code: MistakeCode } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
);

export interface CorpusAnswer {
  readonly status: number;
  /** Of a refusal. */
  readonly code?: ProblemCode;
  /** One of the `errors` of a refusal. */
  readonly mistake?: CorpusMistake;
  /** The `Allow` of a 405. */
  readonly allow?: string;
}

/** One request and what it must be answered. `{name}` in an address or a header stands for what the run has issued. */
export interface CorpusCase {
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly as?: CorpusCaller;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  readonly expected: CorpusAnswer;
}

export const json = { 'content-type': 'application/json' } as const;

export function answers(status: number): CorpusAnswer {
  return { status };
}

export function refuses(status: number, code: ProblemCode): CorpusAnswer {
  return { status, code };
}

/** A 400 that names what is wrong in the body. */
export function wrongAt(pointer: string, code: MistakeCode): CorpusAnswer {
  return { status: 400, code: 'invalid-request', mistake: { pointer, code } };
}

/** A 400 that names what is wrong in the query. */
export function wrongParameter(parameter: string, code: MistakeCode): CorpusAnswer {
  return { status: 400, code: 'invalid-request', mistake: { parameter, code } };
}

/** Has a length to whoever asks for it, and one that cannot be compared with a number. */
export const noLength = { length: { toString: 1, valueOf: 1 } };

/** Arrays within each other: `levels` of them. */
export function nestedArrays(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}
