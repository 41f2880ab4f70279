import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import { expect } from 'vitest';
import type { TestResponse } from './test-app.ts';

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface ExpectedProblem {
  readonly status: number;
  readonly code: ProblemCode;
  readonly errors?: readonly object[];
}

/** Asserts that an answer is a problem as the contract describes it, with this status and code. */
export function expectProblem(response: TestResponse, expected: ExpectedProblem): void {
  expect(response.headers['content-type']).toBe('application/problem+json');
  const body = response.json() as Record<string, unknown>;
  expect(body).toMatchObject({ status: expected.status, code: expected.code, type: `/problems/${expected.code}` });
  expect(response.statusCode).toBe(expected.status);
  expect(body.title).toEqual(expect.any(String));
  expect(body.detail).toEqual(expect.any(String));
  expect(body.requestId).toMatch(uuidV7);
  expect(body.instance).toBe(`urn:uuid:${body.requestId}`);
  expect(response.headers['x-request-id']).toBe(body.requestId);
  expect(response.headers['cache-control']).toBe('no-store');
  if (expected.errors !== undefined) {
    expect(body.errors).toEqual(expected.errors.map((error) => expect.objectContaining(error)));
  }
}
