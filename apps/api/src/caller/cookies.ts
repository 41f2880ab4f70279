import { stringifySetCookie } from 'cookie';

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

/**
 * Returns the name of a cookie that only this host may set. With secure cookies it gets the prefix `__Host-`, by which
 * browsers refuse such a cookie from other hosts. Without TLS, browsers would refuse the prefix altogether.
 */
export function nameHostCookie(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/**
 * Returns the value of a cookie, as the browser sent it. Returns null if the `Cookie` header does not have it, or has
 * several of that name. A second one can only have been planted, for example by a sibling domain. The service cannot
 * tell which one is its own.
 */
export function readCookie(cookieHeader: string | undefined, name: string): string | null {
  const prefix = `${name}=`;
  const [value, ...others] = splitCookies(cookieHeader)
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  return value === undefined || others.length > 0 ? null : value;
}

/** Returns the names of a `Cookie` header that begin with the prefix, each once, in their order. */
export function listCookieNames(cookieHeader: string | undefined, prefix: string): string[] {
  const names = splitCookies(cookieHeader).map((pair) => pair.split('=', 1)[0] ?? '');
  return [...new Set(names)].filter((name) => name.startsWith(prefix) && /^[\w-]+$/.test(name));
}

function splitCookies(cookieHeader: string | undefined): string[] {
  // Only blanks are left out (RFC 6265). Another host may set a cookie whose name begins with U+00A0, which `trim`
  // removes, too.
  return (cookieHeader ?? '').split(';').map((pair) => pair.replace(/^[ \t]+/, ''));
}
