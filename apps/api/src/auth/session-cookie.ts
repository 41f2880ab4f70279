import { stringifySetCookie } from 'cookie';

export const sessionCookieName = 'service_console';

const prefix = `${sessionCookieName}=`;
const sessionIdPattern = /^[\w-]{43}$/;

/**
 * The session id of a `Cookie` header. Null when there is none, when it has not the form of one, and when there are
 * two: a second one can only have been planted (from a sibling domain, say), and which is which cannot be told.
 */
export function parseSessionId(cookieHeader: string | undefined): string | null {
  if (cookieHeader === undefined) return null;
  const values = cookieHeader
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  const [value = ''] = values.map((pair) => pair.slice(prefix.length));
  return values.length === 1 && sessionIdPattern.test(value) ? value : null;
}

/** A `Set-Cookie` that lasts as long as the browser is open; the server knows when the session ends. */
export function formatSessionCookie(sessionId: string, isSecure: boolean): string {
  return stringifySetCookie({ name: sessionCookieName, value: sessionId, ...attributes(isSecure) });
}

/** A `Set-Cookie` that removes the cookie. */
export function formatClearedSessionCookie(isSecure: boolean): string {
  return stringifySetCookie({ name: sessionCookieName, value: '', ...attributes(isSecure), maxAge: 0 });
}

function attributes(isSecure: boolean) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure } as const;
}
