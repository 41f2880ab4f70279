import { describe, expect, test } from 'vitest';
import { readRole } from './role.ts';

const mapping = new Map([
  ['staff', 'viewer'],
  ['makers', 'editor'],
  ['owners', 'admin'],
] as const);

describe('readRole', () => {
  test.each([
    ['a text', { roles: 'makers' }, 'roles', 'editor'],
    ['an array', { roles: ['other', 'staff'] }, 'roles', 'viewer'],
    ['a nested member', { realm_access: { roles: ['owners'] } }, 'realm_access.roles', 'admin'],
    ['a name with dots', { 'https://example.com/roles': ['staff'] }, 'https://example.com/roles', 'viewer'],
  ])('finds the role in %s', (_, claims, path, role) => {
    expect(readRole(claims, path, mapping)).toBe(role);
  });

  test('takes the role with the most permissions, in any order of the values', () => {
    expect(readRole({ roles: ['owners', 'staff', 'makers'] }, 'roles', mapping)).toBe('admin');
    expect(readRole({ roles: ['staff', 'makers'] }, 'roles', mapping)).toBe('editor');
    expect(readRole({ roles: ['makers', 'staff'] }, 'roles', mapping)).toBe('editor');
  });

  test.each([
    ['no such claim', {}, 'roles'],
    ['no value in the mapping', { roles: ['STAFF', 'staff ', ''] }, 'roles'],
    ['values that are no texts', { roles: [null, 1, { staff: true }, ['staff']] }, 'roles'],
    ['an object', { roles: { staff: 'staff' } }, 'roles'],
    ['a member of a prototype', { roles: 'staff' }, 'roles.constructor.name'],
    ['a text on the way', { realm_access: 'roles' }, 'realm_access.roles'],
  ])('finds no role in %s', (_, claims, path) => {
    expect(readRole(claims, path, mapping)).toBeNull();
  });
});
