import { stringifySetCookie } from 'cookie';
import { readCookie } from './request-cookies.ts';

/** The interface fixes this name, so it has no prefix `__Host-`. */
export const sessionCookieName = 'service_console';

/** 256 bits in base64url without padding. */
const sessionIdPattern = /^[\w-]{43}$/;

/** Returns the session id of a `Cookie` header. Null: it has no session cookie, a malformed one, or several. */
export function parseSessionId(cookieHeader: string | undefined): string | null {
  const value = readCookie(cookieHeader, sessionCookieName);
  return value !== null && sessionIdPattern.test(value) ? value : null;
}

/**
 * Returns the `Set-Cookie` value of a session. It has no `Max-Age`: the browser drops the cookie when it closes, and
 * the server decides when the session ends. `isSecure` adds the attribute `Secure`.
 */
export function formatSessionCookie(sessionId: string, isSecure: boolean): string {
  return stringifySetCookie({ name: sessionCookieName, value: sessionId, ...buildAttributes(isSecure) });
}

/** Returns the `Set-Cookie` value that removes the session cookie. */
export function formatClearedSessionCookie(isSecure: boolean): string {
  return stringifySetCookie({ name: sessionCookieName, value: '', ...buildAttributes(isSecure), maxAge: 0 });
}

function buildAttributes(isSecure: boolean) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure } as const;
}
