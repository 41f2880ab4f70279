import { InvalidCallError } from './failures.ts';

/**
 * Parses an address that requests are sent to. In a browser, it may be relative to the page.
 *
 * @param what Names the address in the error, for example `baseUrl`.
 * @throws {InvalidCallError} if no request can be sent to it.
 */
export function parseAddress(text: string, what: string): URL {
  // Outside browsers there is no location.
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  let url: URL;
  try {
    url = new URL(text, location?.href);
  } catch (cause) {
    throw new InvalidCallError(`${what} is not an address: it must begin with https:// or http://`, { cause });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new InvalidCallError(`${what} must begin with https:// or http://, not with ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidCallError(`${what} must not contain a user name or a password`);
  }
  return url;
}

/** The address as an error may show it: without a query, and without the token of a hook or a stream. */
export function describeAddress(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/(\/events\/(?:hooks\/)?)(?!hooks\/)[^/]+/, '$1…');
}

/** True for an address whose requests everybody on the way can read: `http:` to another machine. */
export function isUnencryptedRemote(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
