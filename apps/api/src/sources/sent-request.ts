import { decodeHeaderText } from '../http/request-headers.ts';

/** A request of a foreign sender: all that signatures and mappings may depend on. */
export interface SentRequest {
  /** Alternating names and values, as Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The addresses that the sender may have signed, the most likely first. */
  readonly urls: readonly string[];
}

/** Stands for a header that was sent more than once: sender, proxy and service may each read a different one. */
export const repeated = Symbol('repeated');

type Headers = Pick<SentRequest, 'rawHeaders'>;

/** Returns the text of a header; `name` is in lower case. Null: missing. */
export function readHeader(headers: Headers, name: string): string | null | typeof repeated {
  const value = findHeader(headers, name);
  return typeof value === 'string' ? decodeHeaderText(value) : value;
}

/** As `readHeader`, but with each byte as a character of Latin-1, as Node decodes headers. */
export function findHeader({ rawHeaders }: Headers, name: string): string | null | typeof repeated {
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sentName = rawHeaders[at];
    if (sentName?.length !== name.length || sentName.toLowerCase() !== name) continue;
    if (value !== null) return repeated;
    value = rawHeaders[at + 1] ?? '';
  }
  return value;
}

/**
 * Returns the headers whose name begins with `prefix` (lower case): the text of each, by the rest of its name. Repeated
 * ones are left out.
 */
export function readHeaders({ rawHeaders }: Headers, prefix: string): ReadonlyMap<string, string> {
  const values = new Map<string, string | typeof repeated>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!name.startsWith(prefix)) continue;
    values.set(name, values.has(name) ? repeated : decodeHeaderText(rawHeaders[at + 1] ?? ''));
  }
  const once = [...values].flatMap(([name, value]) =>
    value === repeated ? [] : [[name.slice(prefix.length), value] as const],
  );
  return new Map(once);
}

/** Returns the media type in lower case, without parameters. Empty if it is missing or repeated. */
export function readMediaType(sent: Headers): string {
  const type = readHeader(sent, 'content-type');
  return typeof type === 'string' ? (type.split(';', 1)[0] ?? '').trim().toLowerCase() : '';
}

/** Returns the address as a sender may sign it: without a port, and with its own port or that of its scheme. */
export function listSignedUrls(url: string): readonly string[] {
  const match = /^(https?):\/\/([^/?#:]+)(:\d+)?(.*)$/s.exec(url);
  if (match === null) return [url];
  const [, scheme = '', host = '', port, rest = ''] = match;
  const standard = scheme === 'https' ? ':443' : ':80';
  const withoutPort = `${scheme}://${host}${rest}`;
  return [withoutPort, port === undefined ? `${scheme}://${host}${standard}${rest}` : url];
}
