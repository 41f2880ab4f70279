import { describe, expect, test } from 'vitest';
import { pickChangedMembers } from './audit-event.ts';

describe('pickChangedMembers', () => {
  test('returns the members that differ, before and after', () => {
    const before = { name: 'a', role: 'viewer', labels: ['x'] };
    expect(pickChangedMembers(before, { name: 'a', role: 'admin', labels: ['x', 'y'] })).toEqual({
      before: { role: 'viewer', labels: ['x'] },
      after: { role: 'admin', labels: ['x', 'y'] },
    });
  });

  test('returns null for a member that only one side has', () => {
    expect(pickChangedMembers({}, { rate: 5 })).toEqual({ before: { rate: null }, after: { rate: 5 } });
  });

  test('returns null for both sides if nothing differs', () => {
    const members = { filter: { types: ['widget.created'] }, expiresAt: null };
    expect(pickChangedMembers(members, structuredClone(members))).toEqual({ before: null, after: null });
  });
});
