import { describe, expect, it } from 'vitest';
import { findForgotten } from './find-forgotten.ts';

const at = (...versions: (number | null)[]) =>
  versions.map((version) => ({ effect: version === null ? null : { version } }));

describe('findForgotten', () => {
  it('finds nothing while every change since the creation is known', () => {
    expect(findForgotten([], 1)).toBeNull();
    expect(findForgotten(at(3, 2), 3)).toBeNull();
    expect(findForgotten(at(3, null, 2), 3)).toBeNull();
  });

  it('finds the versions before the oldest known change', () => {
    expect(findForgotten(at(9, 7, 8), 9)).toEqual({ from: 2, to: 6 });
    expect(findForgotten(at(3), 3)).toEqual({ from: 2, to: 2 });
  });

  it('finds all versions but the first if no change is known', () => {
    expect(findForgotten([], 5)).toEqual({ from: 2, to: 5 });
  });

  it('takes a change that is not published yet for the latest', () => {
    expect(findForgotten(at(null), 2)).toBeNull();
    expect(findForgotten(at(null), 3)).toEqual({ from: 2, to: 2 });
  });
});
