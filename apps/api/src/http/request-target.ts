/** Below this prefix, the next segment, or the one after `hooks`, is a token. */
const tokenPrefix = '/api/v1/events/';
const hookPrefix = `${tokenPrefix}hooks/`;
const absoluteFormOrigin = /^https?:\/\/[^/?#]*/i;
/** No token contains this character, and percent-decoding leaves it unchanged. */
const replacementCharacter = '\ufffd';

/**
 * Converts the target of a request line to the one form that is routed: path and query.
 * - The absolute form loses its scheme and authority; its empty path becomes `/`. Every server must accept this form
 *   (RFC 9112, section 3.2.2).
 * - Any other target that does not begin with `/`, such as `*`, gets a leading `/`, and no route matches. Node's
 *   parser has already rejected targets such as `api/v1/session`.
 * - In a token address whose path has invalid percent-encoding, each `%` becomes U+FFFD. The route then finds no such
 *   token and sends its usual response. Otherwise the router would reject the address with another error.
 */
export function normalizeTarget(target: string): string {
  const url = target.startsWith('/') ? target : toOriginForm(target);
  if (!isTokenAddress(url) || isDecodable(extractPath(url))) return url;
  return url.replaceAll('%', replacementCharacter);
}

function toOriginForm(target: string): string {
  const pathAndQuery = target.replace(absoluteFormOrigin, '');
  return pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
}

/** Returns the path of a URL in origin form, without its query and fragment. */
export function extractPath(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/**
 * Whether the path begins as stream and hook addresses do. An encoded prefix (`%65vents`) does not count, although the
 * router decodes it: the route answers such an address as usual.
 */
export function isTokenAddress(url: string): boolean {
  return url.startsWith(tokenPrefix);
}

/** Whether the URL is a stream address. Pages of any origin may read its responses (CORS). */
export function isStreamAddress(url: string): boolean {
  return url.startsWith(tokenPrefix) && !url.startsWith(hookPrefix);
}

/**
 * Percent-decodes a path as the router does: `%2F` stays as it is, so it separates no segments. Returns null if the
 * encoding is invalid.
 */
export function decodePath(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return null;
  }
}

function isDecodable(path: string): boolean {
  return decodePath(path) !== null;
}
