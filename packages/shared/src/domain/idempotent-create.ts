import { createHash } from 'node:crypto';
import { canonicalizeJson } from './json.ts';
import { type NewWidget, newWidgetDefaults, type WidgetOwner } from './widget.ts';

/** Stored with a widget, so that a repeated create finds the first one's response. It lives as long as the widget. */
export interface IdempotencyRecord {
  /** The principal and the operation. Equal keys of two principals never conflict. */
  readonly scope: string;
  readonly key: string;
  /** `computeFingerprint` of the first create. A repeat with another fingerprint is a conflict. */
  readonly fingerprint: string;
  /** The body of the 201. A repeated create gets the same bytes. */
  readonly body: string;
}

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the key of an `Idempotency-Key` header. A key has 1 to 255 visible ASCII characters; returns null for
 * anything else. The header's draft defines a structured string in quotes. Here the quotes are optional, and not part
 * of the key.
 */
export function parseIdempotencyKey(header: string): string | null {
  const isQuoted = header.length >= 2 && header.startsWith('"') && header.endsWith('"');
  const key = isQuoted ? header.slice(1, -1) : header;
  return visibleAscii.test(key) ? key : null;
}

/**
 * Returns the SHA-256, in hexadecimal, of the canonical form of a create body. Members equal to their default are
 * left out: a member that a later version adds does not change the fingerprint of bodies without it.
 */
export function computeFingerprint(widget: NewWidget): string {
  const names = Object.keys(newWidgetDefaults) as (keyof typeof newWidgetDefaults)[];
  const chosen = names.filter((name) => JSON.stringify(widget[name]) !== JSON.stringify(newWidgetDefaults[name]));
  const significant = {
    name: widget.name,
    ...Object.fromEntries(chosen.map((name) => [name, widget[name]])),
    owner: widget.owner === null ? undefined : toSignificantOwner(widget.owner),
  };
  return createHash('sha256')
    .update(canonicalizeJson(JSON.stringify(significant)))
    .digest('hex');
}

function toSignificantOwner({ userId, email, notify }: WidgetOwner): Readonly<Record<keyof WidgetOwner, unknown>> {
  return { userId, email, notify: notify ? true : undefined };
}
