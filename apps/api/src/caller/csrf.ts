import { createHmac } from 'node:crypto';
import { isEqualInConstantTime } from '@widget-service/shared/domain/token.ts';
import { normalizeHost } from '@widget-service/shared/runtime/host-name.ts';

/**
 * Computes the CSRF token of a session: HMAC-SHA256 of the text `csrf` with the session id as the key, in base64url.
 * The page sends it back in `X-Csrf-Token`. It cannot be computed without the session id.
 */
export function computeCsrfToken(sessionId: string): string {
  return createHmac('sha256', sessionId).update('csrf').digest('base64url');
}

/** Whether a header value is the CSRF token of the session; false if it is not a string. Compares in constant time. */
export function isCsrfToken(sessionId: string, headerValue: unknown): boolean {
  if (typeof headerValue !== 'string') return false;
  return isEqualInConstantTime(Buffer.from(headerValue), Buffer.from(computeCsrfToken(sessionId)));
}

/** The headers `Sec-Fetch-Site` and `Origin`: a browser states in them which page sent the request. */
interface RequestOrigin {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Whether a request may come from a page of this service. `Sec-Fetch-Site` decides: it must be `same-origin` or `none`
 * (opened by the user). Without it, `Origin` must be one of `ownOrigins`, as `parseOrigin` writes them. A request with
 * neither header passes: current browsers send at least one of them, so it comes from another kind of client.
 */
export function isOwnOrigin({ secFetchSite, origin }: RequestOrigin, ownOrigins: readonly string[]): boolean {
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin' || secFetchSite === 'none';
  if (origin === undefined) return true;
  const parsed = parseOrigin(origin);
  return parsed !== null && ownOrigins.some((own) => parseOrigin(own) === parsed);
}

/**
 * Returns an origin in one form, so that two can be compared: lower case, without the default port, IPv6 addresses
 * abbreviated, and without a dot at the end of the host. Returns null for any other text, such as `null`.
 */
function parseOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, href, origin } = new URL(text);
  return href === `${origin}/` ? `${protocol}//${normalizeHost(hostname)}:${port}` : null;
}
