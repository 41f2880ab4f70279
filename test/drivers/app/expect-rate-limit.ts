import { expect } from 'vitest';
import type { TestResponse } from './test-app.ts';

/** On a machine that is busy with other tests, this much time may pass between two requests. */
const toleranceSeconds = 14;

/** Asserts the `RateLimit` header: the limit's name, the remaining quota, and the seconds until the quota is full. */
export function expectRateLimit(
  response: TestResponse,
  expected: { readonly name: string; readonly remaining: number; readonly resetSeconds: number },
): void {
  const match = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(String(response.headers.ratelimit));
  expect(match?.slice(1, 3)).toEqual([expected.name, String(expected.remaining)]);
  expectSeconds(match?.[3], expected.resetSeconds);
}

/** Asserts that an answer names this number of seconds. It may be less, by the time that has passed meanwhile. */
export function expectSeconds(actual: unknown, seconds: number): void {
  expect(Number(actual)).toBeLessThanOrEqual(seconds);
  expect(Number(actual)).toBeGreaterThanOrEqual(seconds - toleranceSeconds);
}
