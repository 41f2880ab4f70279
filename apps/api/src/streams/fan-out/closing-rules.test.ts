import { describe, expect, test } from 'vitest';
import { findClosingReason } from './closing-rules.ts';

describe('findClosingReason', () => {
  const stallMs = 1_000;
  const expiresAt = new Date('2026-01-01T00:00:00Z');
  const times = { nowMs: 50_000, wallMs: expiresAt.getTime() - 1 };
  const healthy = { entitlement: { validUntil: expiresAt }, lastProgressAtMs: 49_001, endsAtMs: 50_001 };

  test('returns null while nothing is due', () => {
    expect(findClosingReason(healthy, times, stallMs)).toBeNull();
    expect(findClosingReason({ ...healthy, entitlement: { validUntil: null } }, times, stallMs)).toBeNull();
  });

  test('returns each reason from the millisecond at which it is due', () => {
    expect(findClosingReason(healthy, { ...times, wallMs: expiresAt.getTime() }, stallMs)).toBe('expired');
    expect(findClosingReason({ ...healthy, lastProgressAtMs: 49_000 }, times, stallMs)).toBe('slow');
    expect(findClosingReason({ ...healthy, endsAtMs: 50_000 }, times, stallMs)).toBe('lifetime');
  });

  test('returns the reason that sends the least: expired before slow, slow before lifetime', () => {
    const overdue = { ...healthy, lastProgressAtMs: 0, endsAtMs: 0 };
    expect(findClosingReason(overdue, { ...times, wallMs: expiresAt.getTime() }, stallMs)).toBe('expired');
    expect(findClosingReason(overdue, times, stallMs)).toBe('slow');
  });
});
