import { expect } from 'vitest';
import type { TestResponse } from './test-app.ts';

/** What a machine that is busy with other tests may take between two requests. */
const toleranceSeconds = 14;

/** Whether an answer tells of this limit that so much is left, and that all of it is there again after so long. */
export function expectRateLimit(
  response: TestResponse,
  expected: { readonly name: string; readonly remaining: number; readonly resetSeconds: number },
): void {
  const found = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(String(response.headers.ratelimit));
  expect(found?.slice(1, 3)).toEqual([expected.name, String(expected.remaining)]);
  expectSeconds(found?.[3], expected.resetSeconds);
}

/** Whether so many seconds are told, but for the time that has passed meanwhile. */
export function expectSeconds(told: unknown, seconds: number): void {
  expect(Number(told)).toBeLessThanOrEqual(seconds);
  expect(Number(told)).toBeGreaterThanOrEqual(seconds - toleranceSeconds);
}
