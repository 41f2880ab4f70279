import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { TextFilter, TextPlaces } from '@widget-service/shared/entities/hook-mapping.ts';
import type { HookSource, SourcePreset } from '@widget-service/shared/entities/hook-source.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { decodeHeaderText } from '../http/request-headers.ts';
import { requireById } from '../http/resource.ts';
import { type MappingInput, type MappingResult, mapHook, matchesFilter, readPlace } from './map-hook.ts';
import { findScheme, type Handshake, presets } from './sender-presets.ts';
import { readHeader, type SentRequest } from './sent-request.ts';
import { readCloudEvent, readDocument } from './source-document.ts';
import type { SourceKey } from './source-key.ts';
import { type SignatureResult, verifySignature } from './verify-signature.ts';

export interface SourceReading {
  readonly source: HookSource;
  /** Null: the signature is not verified, because its keys are not known. */
  readonly keys: readonly SourceKey[] | null;
  readonly sent: SentRequest;
  /** See `MappingInput`. */
  readonly integrationId: string | null;
  readonly now: Date;
  /**
   * Also reads a request whose signature is not valid. Does not verify a signature whose header is empty, because
   * people remove secrets from a request that they show.
   */
  readonly isPreview?: boolean;
}

/** The result of each step of reading a request. A step is missing if an earlier one failed, except in a preview. */
export interface ReadSource {
  /** Null: it was not verified. */
  readonly signature: SignatureResult | null;
  /** Why the body could not be read as a document. */
  readonly mistake?: ServiceError;
  /** The text of the 200 that answers a handshake of the sender. */
  readonly answer?: string;
  readonly mapping?: MappingResult;
}

/**
 * Reads a request of a foreign sender: signature, document, handshake, mapping. Both the hook address and the preview
 * use it, so they agree.
 */
export function readSource({
  source,
  keys,
  integrationId,
  now,
  isPreview = false,
  ...given
}: SourceReading): ReadSource {
  const sent = source.preset === 'standard-webhooks' ? addStandardNames(given.sent) : given.sent;
  const challenge = answerChallenge(source, sent);
  if (challenge !== null) return { signature: null, answer: challenge };
  const scheme = findScheme(source);
  const isLeftOut = isPreview && scheme.algorithm !== 'none' && readHeader(sent, scheme.header) === '';
  const signature = keys === null || isLeftOut ? null : verifySignature(scheme, keys, sent, now);
  if (signature?.isValid === false && !isPreview) return { signature };
  try {
    const document = source.preset === 'cloudevents' ? readCloudEvent(sent) : readDocument(sent);
    const { handshake, pings } = presets[source.preset];
    const input = { mapping: source.mapping, sent, document, integrationId, now };
    const answer = handshake === null ? null : answerHandshake(input, handshake);
    if (answer !== null) return { signature, answer };
    const ping = pings.find((filter) => matchesFilter(input, filter));
    if (ping !== undefined) return { signature, mapping: ignorePing(ping) };
    return { signature, mapping: mapRequest(source.preset, input) };
  } catch (error) {
    if (error instanceof ServiceError) return { signature, mistake: error };
    throw error;
  }
}

/** Reads the integration in the path. Throws `not-found` if there is none, or if it has no source. */
export async function requireSource(
  integrations: Pick<Collection<Integration>, 'get'>,
  params: { readonly id: string },
): Promise<Integration & { readonly source: HookSource }> {
  const { source, ...integration } = await requireById(integrations, params, 'integration');
  if (source === null) throw new ServiceError('not-found', 'This integration has no source.');
  return { ...integration, source };
}

/** Returns why a request is refused, for admins: the step that failed, and where. Null: it is not refused. */
export function findSourceRefusal({ signature, mistake, mapping }: ReadSource) {
  if (signature?.isValid === false) return { step: 'signature', reason: signature.reason };
  if (mistake !== undefined) return { step: 'body', reason: mistake.message };
  return mapping?.outcome === 'refused' ? { step: mapping.step, reason: mapping.reason, ...mapping.place } : null;
}

/** Svix still sends the headers of Standard Webhooks by the names that they had before they became a standard. */
function addStandardNames(sent: SentRequest): SentRequest {
  if (readHeader(sent, 'webhook-signature') !== null) return sent;
  const added = sent.rawHeaders.flatMap((name, at) =>
    at % 2 === 0 && /^svix-(?:id|timestamp|signature)$/i.test(name)
      ? [name.replace(/^svix/i, 'webhook'), sent.rawHeaders[at + 1] ?? '']
      : [],
  );
  return { ...sent, rawHeaders: [...sent.rawHeaders, ...added] };
}

/** Answers a POST without a body that some senders use as a challenge, as others use GET. Null: it is no challenge. */
function answerChallenge(source: HookSource, { body, rawHeaders, urls: [url = ''] }: SentRequest): string | null {
  if (body.length > 0) return null;
  const query = URL.parse(url)?.searchParams ?? new URLSearchParams();
  return answerProbe(source, { method: 'POST', rawHeaders, query })?.text ?? null;
}

/** Maps a request, also one that has the other id of its preset. */
function mapRequest(preset: SourcePreset, input: MappingInput): MappingResult {
  const { defaults, otherId } = presets[preset];
  const first = mapHook(input);
  if (first.outcome !== 'refused') return first;
  if (otherId !== null && first.step === 'id' && isDeepStrictEqual(input.mapping.id, defaults.id)) {
    const second = mapHook({ ...input, mapping: { ...input.mapping, id: otherId } });
    if (second.outcome !== 'refused' || second.step !== 'id') return second;
  }
  const isBatch = Array.isArray(input.document.value);
  return isBatch ? { ...first, reason: `${first.reason}; the body is an array, perhaps a batch of events` } : first;
}

function ignorePing({ in: texts }: TextFilter): MappingResult {
  const read = texts[0] ?? null;
  return { outcome: 'ignored', step: 'only', values: [{ step: 'only', read, became: 'ignored' }] };
}

/** Returns null if the request is no handshake. */
function answerHandshake(input: Parameters<typeof readPlace>[0], { when, answer }: Handshake): string | null {
  if (!matchesFilter(input, when)) return null;
  const text = readPlace(input, answer);
  return text === null || text.length > answerMaxLength ? null : text;
}

/** A request without a body by which a sender asks whether its hooks are welcome. */
export interface Probe extends Pick<SentRequest, 'rawHeaders'> {
  readonly method: string;
  readonly query: URLSearchParams;
}

/** The 200 that a sender expects of the address before it posts a hook. */
export interface ProbeAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: it has no body. */
  readonly text: string;
}

/** The most characters of an answer: it repeats a text of the sender. */
const answerMaxLength = 1_024;
/** The characters of a header that is sent back. */
const visible = /^[\x21-\x7e]+$/;

/**
 * Returns the answer to a probe. Null: this sender makes no such probe.
 *
 * - OPTIONS with `WebHook-Request-Origin`, from a sender of CloudEvents: the origin is allowed, at any rate
 *   (https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md, section 4).
 * - GET, or POST without a body, with the parameter that the scheme of a custom sender names, such as `hub.challenge`:
 *   its text. If the name is empty, each GET is answered: the sender only looks whether the address answers.
 */
export function answerProbe({ preset, scheme }: HookSource, { method, rawHeaders, query }: Probe): ProbeAnswer | null {
  if (method === 'OPTIONS' && presets[preset].asksForItsOrigin) {
    const origin = readHeader({ rawHeaders }, 'webhook-request-origin');
    if (typeof origin !== 'string' || origin.length > answerMaxLength || !visible.test(origin)) return null;
    return { headers: { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }, text: '' };
  }
  const parameter = scheme?.challengeParameter ?? null;
  if (parameter === null || !['GET', 'HEAD', 'POST'].includes(method)) return null;
  if (parameter === '') return method === 'POST' ? null : { headers: {}, text: '' };
  const [text = '', ...more] = query.getAll(parameter);
  return text === '' || text.length > answerMaxLength || more.length > 0 ? null : { headers: {}, text };
}

const alwaysSecret = ['authorization', 'proxy-authorization', 'cookie'];
/** Headers that hold neither a secret nor the identity of a client. A proxy may add any other header with either. */
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
 * Splits the headers of a request (alternating names and values) into those that admins may read and the others. Shown
 * are the harmless ones, those that the mapping reads, and those in which the scheme finds a signature, a time or an
 * id, but never the header with the secret of the sender.
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
