import { describe, expect, test } from 'vitest';
import { deviceCookieLifetimeMs, findDeviceNonce, mintDeviceCookie } from './device-cookie.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const user = { id: '0197a0b0-0000-7000-8000-00000000abcd', passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$dGFn' };

describe('findDeviceNonce', () => {
  test('returns the nonce of a cookie of the user, until it expires after 180 days', () => {
    const cookie = mintDeviceCookie(user, now);
    const at = (ms: number) => findDeviceNonce(cookie, { ...user }, new Date(now.getTime() + ms));
    expect(at(0)).toBe(cookie.split('.')[0]);
    expect(at(deviceCookieLifetimeMs - 1)).toBe(cookie.split('.')[0]);
    expect(at(deviceCookieLifetimeMs)).toBeNull();
  });

  test('returns null for another user, another password and another text', () => {
    const cookie = mintDeviceCookie(user, now);
    expect(findDeviceNonce(cookie, { ...user, id: 'other' }, now)).toBeNull();
    expect(findDeviceNonce(cookie, { ...user, passwordHash: 'other' }, now)).toBeNull();
    for (const text of ['', 'a.b.c', `${cookie}.`, `a${cookie}`, cookie.replace('.', '.0')]) {
      expect(findDeviceNonce(text, user, now)).toBeNull();
    }
  });

  test('has a new nonce in each cookie', () => {
    expect(mintDeviceCookie(user, now)).not.toBe(mintDeviceCookie(user, now));
  });
});
