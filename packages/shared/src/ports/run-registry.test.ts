import { describe, expect, test } from 'vitest';
import { assertRunLimits, runLimits } from './run-registry.ts';

describe('assertRunLimits', () => {
  test('accepts the limits of the service', () => {
    expect(() => assertRunLimits(runLimits)).not.toThrow();
  });

  test('accepts marks that live exactly twice as long as a run may be old', () => {
    expect(() => assertRunLimits({ maxAgeMs: 500, markLifetimeMs: 1_000 })).not.toThrow();
  });

  test('throws if marks live less than twice as long as a run may be old', () => {
    expect(() => assertRunLimits({ maxAgeMs: 501, markLifetimeMs: 1_000 })).toThrow(
      'markLifetimeMs is 1000, but must be at least twice maxAgeMs (501)',
    );
  });
});
