import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { TextFilter } from '@widget-service/shared/entities/hook-mapping.ts';
import type { HookSource, SourcePreset } from '@widget-service/shared/entities/hook-source.ts';
import { answerProbe } from './answer-probe.ts';
import { type MappingInput, type MappingResult, mapHook, matchesFilter, readPlace } from './map-hook.ts';
import { findScheme, type Handshake, presets } from './presets.ts';
import { readHeader, type SentRequest } from './sent-request.ts';
import { type SignatureResult, verifySignature } from './signature.ts';
import { readCloudEvent, readDocument } from './source-document.ts';
import type { SourceKey } from './source-key.ts';

export interface SourceReading {
  readonly source: HookSource;
  /** Null: the signature is not verified, because its keys are not known. */
  readonly keys: readonly SourceKey[] | null;
  readonly sent: SentRequest;
  /** See `MappingInput`. */
  readonly integrationId: string | null;
  readonly now: Date;
  /**
   * Also reads a request whose signature is not valid. Verifies none whose header has no value: whoever shows a request
   * to others leaves out its secrets.
   */
  readonly isPreview?: boolean;
}

/** What a request of a foreign sender is. Each step is there if the ones before it succeeded, or it is a preview. */
export interface ReadSource {
  /** Null: it was not verified. */
  readonly signature: SignatureResult | null;
  /** Why the body is no document. */
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

/** Why a request is refused, for whoever may know it: the step that failed, and where. Null: it is not refused. */
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

/** A POST without a body, by which some senders ask as others do by GET. Null: it is none. */
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

/** An answer repeats a text of the sender, so it is bounded. */
const answerMaxLength = 1_024;

/** Returns null if the request is no handshake. */
function answerHandshake(input: Parameters<typeof readPlace>[0], { when, answer }: Handshake): string | null {
  if (!matchesFilter(input, when)) return null;
  const text = readPlace(input, answer);
  return text === null || text.length > answerMaxLength ? null : text;
}
