/** Under this prefix the next segment, or the one behind `hooks`, is a token. */
const tokenPrefix = '/api/v1/events/';
const hookPrefix = `${tokenPrefix}hooks/`;
const absoluteForm = /^https?:\/\/[^/?#]*/i;
/** Stands in no token, and is the same in an address with and without its escapes undone. */
const undecodable = '\ufffd';

/**
 * The target of a request line in the one form that is routed: path and query. The absolute form, which every server
 * must take (RFC 9112 section 3.2.2), loses its origin, and what has no path at all (`*`) becomes one that nobody has.
 * A token whose escapes cannot be undone is made one that can be looked at, so that it is refused by its own route, in
 * the form of all other wrong tokens.
 */
export function normalizeTarget(target: string): string {
  const url = target.startsWith('/') ? target : toOriginForm(target);
  if (!isTokenAddress(url) || isDecodable(extractPath(url))) return url;
  return url.replaceAll('%', undecodable);
}

function toOriginForm(target: string): string {
  const rest = target.replace(absoluteForm, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

export function extractPath(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

export function isTokenAddress(url: string): boolean {
  return url.startsWith(tokenPrefix);
}

/** Whether pages of any origin may read what is answered at the address. */
export function isStreamAddress(url: string): boolean {
  return url.startsWith(tokenPrefix) && !url.startsWith(hookPrefix);
}

/** Its escapes undone as the router undoes them: an escaped slash parts no segments. Null when that cannot be. */
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
