import { stringifySetCookie } from 'cookie';

/** Without the prefix `__Host-`: with it, browsers require `Secure`, but the service may run without TLS. */
export const sessionCookieName = 'service_console';

const cookiePrefix = `${sessionCookieName}=`;
/** 256 bits in base64url without padding. */
const sessionIdPattern = /^[\w-]{43}$/;

/**
 * Returns the session id of a `Cookie` header. Returns null if the header has no session cookie, a malformed one, or
 * several. A second one can only have been planted, for example by a sibling domain. The service cannot tell which one
 * is its own.
 */
export function parseSessionId(cookieHeader: string | undefined): string | null {
  if (cookieHeader === undefined) return null;
  const values = cookieHeader
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(cookiePrefix));
  const [value = ''] = values.map((pair) => pair.slice(cookiePrefix.length));
  return values.length === 1 && sessionIdPattern.test(value) ? value : null;
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
