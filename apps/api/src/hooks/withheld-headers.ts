import type { TextPlaces } from '@widget-service/shared/entities/hook-mapping.ts';
import type { HookSource } from '@widget-service/shared/entities/hook-source.ts';
import { decodeHeaderText } from '../http/request-headers.ts';
import { findScheme } from '../sources/presets.ts';

const alwaysSecret = ['authorization', 'proxy-authorization', 'cookie'];
/**
 * Headers that describe a request, and in which nobody sends a secret or who the client is. A proxy may add any other
 * header with either.
 */
const harmless: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type', 'date', 'host', 'user-agent'],
  ...['ce-datacontenttype', 'ce-dataschema', 'ce-id', 'ce-source'],
  ...['ce-specversion', 'ce-subject', 'ce-time', 'ce-type'],
  ...['webhook-id', 'webhook-signature', 'webhook-timestamp', 'webhook-request-origin'],
  ...['x-github-delivery', 'x-github-event', 'x-github-hook-id', 'x-github-hook-installation-target-type'],
  ...['x-gitlab-event', 'x-gitlab-event-uuid', 'x-gitlab-instance', 'x-gitlab-webhook-uuid'],
  ...['x-shopify-api-version', 'x-shopify-event-id', 'x-shopify-shop-domain', 'x-shopify-topic'],
  ...['linear-delivery', 'linear-event', 'x-slack-retry-num', 'x-slack-retry-reason'],
]);

/** The headers of a request that somebody may read, and the names of the others. */
export interface ShownHeaders {
  /** The values of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly withheldHeaders: readonly string[];
}

/**
 * Separates the headers of a request (names and values in turn) that somebody may read from all others. Shown are the
 * harmless ones, those that the mapping reads, and those in which the scheme finds a signature, a time or an id, but
 * never the header with the secret of the sender.
 */
export function withholdSecrets(rawHeaders: readonly string[], source: HookSource): ShownHeaders {
  const read = listReadHeaders(source);
  const hidden = [...alwaysSecret, ...listSecretHeaders(source)];
  const shown = new Map<string, string[]>();
  const withheld = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (hidden.includes(name) || !(harmless.has(name) || read.includes(name))) withheld.add(name);
    else shown.set(name, [...(shown.get(name) ?? []), decodeHeaderText(rawHeaders[at + 1] ?? '')]);
  }
  return { headers: Object.fromEntries(shown), withheldHeaders: [...withheld] };
}

function listSecretHeaders(source: HookSource): string[] {
  const { algorithm, header } = findScheme(source);
  return algorithm === 'token' || algorithm === 'basic' ? [header] : [];
}

function listReadHeaders(source: HookSource): string[] {
  const { header, timestamp, idHeader } = findScheme(source);
  const { only, kind, occurredAt, widgetId, id } = source.mapping;
  const places: readonly (TextPlaces | null)[] = [...only, kind, occurredAt, widgetId, id];
  const headers = places.flatMap((place) => [place?.header, ...(place?.all ?? []).map((each) => each.header)]);
  return [header, idHeader, timestamp?.header, ...headers].filter((name) => typeof name === 'string');
}
