import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { NewWidget } from './widget.ts';

/** What a create leaves behind to be found by its repetition; it lives as long as the widget. */
export interface IdempotencyRecord {
  /** Who created, and by which operation: keys of two principals never meet. */
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  /** The text of the 201, given again byte for byte. */
  readonly body: string;
}

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of an `Idempotency-Key` header, without the quotes that the header's draft (a structured string) asks for;
 * null when it is malformed.
 */
export function parseIdempotencyKey(header: string): string | null {
  const isQuoted = header.length >= 2 && header.startsWith('"') && header.endsWith('"');
  const key = isQuoted ? header.slice(1, -1) : header;
  return visibleAscii.test(key) ? key : null;
}

/**
 * Tells two create bodies apart. Members equal to their default are left out, so that a member added to the
 * interface later changes the fingerprint of no body that does not use it.
 */
export function computeFingerprint(chosen: NewWidget): string {
  const significant = {
    name: chosen.name,
    ...(chosen.state === 'active' ? {} : { state: chosen.state }),
    ...(chosen.labels.length === 0 ? {} : { labels: chosen.labels }),
    ...(chosen.owner === null
      ? {}
      : {
          owner: {
            userId: chosen.owner.userId,
            email: chosen.owner.email,
            ...(chosen.owner.notify ? { notify: true } : {}),
          },
        }),
  };
  return createHash('sha256')
    .update(canonicalize(significant) ?? '')
    .digest('hex');
}
