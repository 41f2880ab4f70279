import { decodeHeaderText } from '../http/request-headers.ts';

/** A request of a foreign sender: all that signatures and mappings may depend on. */
export interface SentRequest {
  /** Names and values in turn, as Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The addresses that the sender may have signed, the most likely first. */
  readonly urls: readonly string[];
}

/** Returns the text of a header that was sent once; `name` is in lower case. Null: missing. */
export function readHeader({ rawHeaders }: Pick<SentRequest, 'rawHeaders'>, name: string): string | null | 'repeated' {
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    // A sender, a proxy and this service may each take another one for the value.
    if (value !== null) return 'repeated';
    value = decodeHeaderText(rawHeaders[at + 1] ?? '');
  }
  return value;
}
