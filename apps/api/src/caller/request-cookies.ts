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
  // Only blanks are left out (RFC 6265). Another host may set a cookie whose name begins with U+00A0, which `trim`
  // removes, too.
  const pairs = (cookieHeader ?? '').split(';').map((pair) => pair.replace(/^[ \t]+/, ''));
  const [value, ...others] = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
  return value === undefined || others.length > 0 ? null : value;
}
