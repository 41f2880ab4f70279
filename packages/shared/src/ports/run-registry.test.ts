import { expect, test } from 'vitest';
import { assertRunLimits } from './run-registry.ts';

test('marks must live at least twice as long as a run may be old', () => {
  expect(() => assertRunLimits({ maxAgeMs: 500, markLifetimeMs: 1_000 })).not.toThrow();
  expect(() => assertRunLimits({ maxAgeMs: 501, markLifetimeMs: 1_000 })).toThrow(
    'markLifetimeMs is 1000, but must be at least twice maxAgeMs (501)',
  );
});
