import { describe, expect, it } from 'vitest';
import { assertRunLimits, runLimits } from './run-limits.ts';

describe('assertRunLimits', () => {
  it('accepts the limits of the service', () => {
    expect(() => assertRunLimits(runLimits)).not.toThrow();
  });

  it('accepts marks that live exactly twice as long as a run may be old', () => {
    expect(() => assertRunLimits({ maxAgeMs: 500, markLifetimeMs: 1_000 })).not.toThrow();
  });

  it('throws if marks live less than twice as long as a run may be old', () => {
    expect(() => assertRunLimits({ maxAgeMs: 501, markLifetimeMs: 1_000 })).toThrow(
      'markLifetimeMs is 1000, but must be at least twice maxAgeMs (501)',
    );
  });
});
