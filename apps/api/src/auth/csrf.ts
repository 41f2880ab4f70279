import { createHmac, timingSafeEqual } from 'node:crypto';

/** The token a session's own page sends back in a header. Only who knows the session id can compute it. */
export function computeCsrfToken(sessionId: string): string {
  return createHmac('sha256', sessionId).update('csrf').digest('base64url');
}

export function isCsrfToken(sessionId: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const expected = Buffer.from(computeCsrfToken(sessionId));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export interface RequestOrigin {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Whether a request comes from a page of this service, as far as the browser tells: by `Sec-Fetch-Site`, else by
 * `Origin`. A request with neither does not come from a browser of today.
 */
export function isOwnOrigin({ secFetchSite, origin }: RequestOrigin, ownOrigins: readonly string[]): boolean {
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin' || secFetchSite === 'none';
  return origin === undefined || ownOrigins.includes(origin);
}
