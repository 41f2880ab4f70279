import type { MistakeCode } from '@widget-service/api/http/problem.ts';
import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';

/** The user whose cookie and CSRF token the request carries. */
export type CorpusCaller = 'admin' | 'editor' | 'viewer';

/** The place of a mistake in a rejected request, and its code. */
type CorpusMistake = { readonly code: MistakeCode } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
);

export interface ExpectedResponse {
  readonly status: number;
  /** The problem code of a rejected request. */
  readonly code?: ProblemCode;
  /** The entries of `errors` of the problem. */
  readonly mistakes?: readonly CorpusMistake[];
  /** The `Allow` header of a 405. */
  readonly allow?: string;
}

/** A request and its expected response. A `{variable}` in the URL, a header or the body is filled in by the run. */
export interface CorpusCase {
  readonly name: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly url: string;
  readonly caller?: CorpusCaller;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  readonly expected: ExpectedResponse;
}

export const json = { 'content-type': 'application/json' } as const;

/** The expected response in words, for the title of a test. */
export function describeResponse({ status, code, mistakes }: ExpectedResponse): string {
  if (code === undefined) return `returns ${status}`;
  if (mistakes === undefined) return `returns ${status} ${code}`;
  const places = mistakes.map((mistake) => {
    const place =
      'pointer' in mistake ? mistake.pointer : 'parameter' in mistake ? `?${mistake.parameter}` : mistake.header;
    return `${mistake.code} at ${place}`;
  });
  return `returns ${status} ${code} (${places.slice(0, 2).join(', ')}${places.length > 2 ? ' and more' : ''})`;
}

export function returns(status: number): ExpectedResponse {
  return { status };
}

export function rejects(status: number, code: ProblemCode): ExpectedResponse {
  return { status, code };
}

/** A 400 whose only mistake is this member of the body. */
export function invalidAt(pointer: string, code: MistakeCode): ExpectedResponse {
  return invalidAtEach([pointer, code]);
}

/** A 400 with these mistakes in the body, in this order. */
export function invalidAtEach(...places: readonly (readonly [pointer: string, code: MistakeCode])[]): ExpectedResponse {
  return { status: 400, code: 'invalid-request', mistakes: places.map(([pointer, code]) => ({ pointer, code })) };
}

/** A 400 whose only mistake is this query parameter. */
export function invalidParameter(parameter: string, code: MistakeCode): ExpectedResponse {
  return { status: 400, code: 'invalid-request', mistakes: [{ parameter, code }] };
}

/** An object whose `length` throws when it is compared with a number. */
export const incomparableLength = { length: { toString: 1, valueOf: 1 } };

/** JSON text of `levels` nested arrays. */
export function nestArrays(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}
