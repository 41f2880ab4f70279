import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a browser stays known after a sign-in, in milliseconds: 180 days. */
export const deviceCookieLifetimeMs = 15_552_000_000;

const keyBytes = 32;
const nonceBytes = 16;
/** Separates this key from any other key that may be derived from a password hash. */
const purpose = 'widget-service device cookie';
const pattern = /^([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/** What the key of a device cookie is made of. A new password makes a new hash, and ends the cookies before it. */
interface DeviceCookieUser {
  readonly id: string;
  /** PHC string format. It contains a random salt, so the key cannot be guessed. */
  readonly passwordHash: string;
}

/**
 * Returns the value of a new device cookie: it proves that a browser signed in as this user (OWASP's device cookie
 * protocol). The form is `<nonce>.<time of issue in milliseconds, base 36>.<HMAC-SHA256>`.
 *
 * The key comes from the stored password hash by HKDF (RFC 5869). So every pod can verify the cookie, and no key needs
 * to be stored. Whoever has a copy of the database can make cookies, but could also try passwords on the copy itself.
 */
export function mintDeviceCookie(user: DeviceCookieUser, now: Date): string {
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const issuedAt = now.getTime().toString(36);
  return `${nonce}.${issuedAt}.${computeMac(user, nonce, issuedAt).toString('base64url')}`;
}

/**
 * Returns the nonce of a device cookie, which names the browser. Returns null if the cookie is malformed, expired, or
 * not of this user with this password.
 */
export function findDeviceNonce(cookie: string, user: DeviceCookieUser, now: Date): string | null {
  const [, nonce, issuedAt, mac] = pattern.exec(cookie) ?? [];
  if (nonce === undefined || issuedAt === undefined || mac === undefined) return null;
  const isAuthentic = timingSafeEqual(Buffer.from(mac, 'base64url'), computeMac(user, nonce, issuedAt));
  const ageMs = now.getTime() - Number.parseInt(issuedAt, 36);
  return isAuthentic && ageMs < deviceCookieLifetimeMs ? nonce : null;
}

/** Whether a text has the form of a device cookie. Without it, no user needs to be read. */
export function isWellFormedDeviceCookie(text: string): boolean {
  return pattern.test(text);
}

function computeMac({ id, passwordHash }: DeviceCookieUser, nonce: string, issuedAt: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', passwordHash, '', purpose, keyBytes));
  return createHmac('sha256', key).update(`${id}.${nonce}.${issuedAt}`).digest();
}
