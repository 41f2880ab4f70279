/** What a person has pasted: the URL of a stream at the address of this page, one at another address, or neither. */
type PastedUrl =
  | { readonly kind: 'own'; readonly url: string }
  | { readonly kind: 'other'; readonly url: string; readonly host: string }
  | { readonly kind: 'wrong' };

/** Reads the URL of a stream that a person has pasted. `ownOrigin`: that of this page. */
export function readStreamUrl(text: string, ownOrigin: string): PastedUrl {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return { kind: 'wrong' };
  if (!/\/api\/v1\/events\/[^/]+$/.test(url.pathname)) return { kind: 'wrong' };
  if (url.origin === ownOrigin) return { kind: 'own', url: url.href };
  return { kind: 'other', url: url.href, host: url.host };
}
