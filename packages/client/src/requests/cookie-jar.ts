/**
 * Keeps cookies where no browser does. It keeps only what the service needs: names and values, for one service.
 *
 * In a browser it stays empty: there, a script sees no `Set-Cookie`, and the browser sends the cookies.
 */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Takes over what `format` returned once. */
  restore(text: string): void {
    // A person may have kept it in a file, with a line break at its end.
    for (const pair of text.trim().split('; ')) {
      const equals = pair.indexOf('=');
      if (equals > 0) this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
  }

  /** Takes over the cookies that a response sets, and forgets those that it deletes. */
  update(headers: Headers): void {
    for (const line of headers.getSetCookie?.() ?? []) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const equals = pair.indexOf('=');
      if (equals < 1) continue;
      const name = pair.slice(0, equals);
      if (attributes.some(isPast)) this.#cookies.delete(name);
      else this.#cookies.set(name, pair.slice(equals + 1));
    }
  }

  /** The value of the header `Cookie`, or null if there are none. */
  format(): string | null {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? null : pairs.join('; ');
  }
}

/** True for an attribute that deletes the cookie. */
function isPast(attribute: string): boolean {
  const [name = '', value = ''] = attribute.split('=');
  if (name.toLowerCase() === 'max-age') return Number(value) <= 0;
  return name.toLowerCase() === 'expires' && Date.parse(value) <= Date.now();
}
