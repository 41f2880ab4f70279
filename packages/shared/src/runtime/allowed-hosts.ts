import { isIpLiteral, isLocalhost, normalizeHost } from './host-name.ts';

/** The host of a `Host` header without its port. */
const portPattern = /:\d*$/;

/**
 * Makes the function that returns whether the service answers to a `Host` header: to every address, to `localhost` and
 * names below it, and to `names`, whatever the port; with the name `*`, to every host. To a missing or empty header,
 * too: no browser sends such a request.
 *
 * A page cannot forge the header. But its owner can give the name of the page the address of this process (DNS
 * rebinding), and then its scripts reach this process by that name.
 */
export function makeIsAllowedHost(names: readonly string[]): (header: string) => boolean {
  if (names.includes('*')) return () => true;
  const allowed = new Set(names.map(normalizeHost));
  // Nearly all requests name the same host.
  let lastAllowed = '';
  return (header) => {
    if (header === lastAllowed) return true;
    const host = header.replace(portPattern, '');
    if (host !== '' && !isIpLiteral(host) && !isLocalhost(host) && !allowed.has(normalizeHost(host))) return false;
    lastAllowed = header;
    return true;
  };
}
