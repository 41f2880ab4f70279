import { createSecretKey } from 'node:crypto';
import { listCookieNames, parseSessionId, readCookie } from '@widget-service/api/caller/cookies.ts';
import { parseBearerToken } from '@widget-service/api/caller/credentials.ts';
import { isCsrfToken, isOwnOrigin } from '@widget-service/api/caller/csrf.ts';
import { createPendingSignIns, parseReturnTo } from '@widget-service/api/caller/oidc/pending-sign-in.ts';
import { cutWebhookId } from '@widget-service/api/hooks/intake-recorder.ts';
import { isPrivateAddress, toNetwork } from '@widget-service/api/http/forwarding.ts';
import { countUpTo, parseJson } from '@widget-service/api/http/json-body.ts';
import { isProblemCode } from '@widget-service/api/http/problem.ts';
import { countHeader, decodeHeaderText, encodeHeader } from '@widget-service/api/http/request-headers.ts';
import {
  decodePath,
  extractPath,
  isSessionStreamAddress,
  isStreamAddress,
  isTokenAddress,
  normalizeTarget,
} from '@widget-service/api/http/request-screening.ts';
import { escapeHtml } from '@widget-service/api/pages/page.ts';
import { findTimeMistake } from '@widget-service/api/schemas/hook-event.ts';
import { findHiddenCharacter } from '@widget-service/api/schemas/text.ts';
import { answerProbe, withholdSecrets } from '@widget-service/api/sources/read-source.ts';
import { presets } from '@widget-service/api/sources/sender-presets.ts';
import { findHeader, listSignedUrls, readHeader, readHeaders } from '@widget-service/api/sources/sent-request.ts';
import { readDocument, readObjectAt, readTextAt } from '@widget-service/api/sources/source-document.ts';
import { decodeExactly, toSourceKey, toSourceKeys } from '@widget-service/api/sources/source-key.ts';
import { rejectSecrets } from '@widget-service/api/sources/source-schema.ts';
import { verifySignature } from '@widget-service/api/sources/verify-signature.ts';
import { encodeHookId } from '@widget-service/client/hooks/sign-hook.ts';
import { parseExactJson, parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { describeAddress, isUnencryptedRemote, parseAddress } from '@widget-service/client/requests/failures.ts';
import { parseControlEntry } from '@widget-service/shared/adapters/control-entry-codec.ts';
import { parseHookJob } from '@widget-service/shared/adapters/hook-job-codec.ts';
import { describeDevice } from '@widget-service/shared/domain/device.ts';
import { decryptText, unsealText } from '@widget-service/shared/domain/encrypted-text.ts';
import { toUtcTime } from '@widget-service/shared/domain/foreign-time.ts';
import { deriveEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import { parseIdempotencyKey } from '@widget-service/shared/domain/idempotent-create.ts';
import {
  canonicalizeJson,
  canonicalizeNumber,
  extractMemberText,
  extractTextAt,
  isItemIndex,
  omitMembers,
  toSingleLine,
  tryParseJson,
} from '@widget-service/shared/domain/json.ts';
import { assignPartition } from '@widget-service/shared/domain/queue-item.ts';
import { readClaim, readRole } from '@widget-service/shared/domain/role.ts';
import { findSecretMistake, parseSigningSecret, unsealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import { resolveStreamStart } from '@widget-service/shared/domain/stream-start.ts';
import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { isTraceContext, parseTraceparent } from '@widget-service/shared/domain/trace-context.ts';
import { deriveWidgetId, parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { parsePointer } from '@widget-service/shared/entities/hook-mapping.ts';
import { type HookSource, schemeDefaults } from '@widget-service/shared/entities/hook-source.ts';
import { prefersOpenMetrics } from '@widget-service/shared/metrics/format-metrics.ts';
import { parseListedStreams, parseProcessState } from '@widget-service/shared/ports/process-states.ts';
import { findPasswordWeakness } from '@widget-service/shared/usecases/access/passwords.ts';
import { awkwardSource } from '../drivers/app/builders.ts';
import { makeWrongSignature } from './wrong-signature.ts';

const pendingSignIns = createPendingSignIns('a client secret', true);
const now = new Date();
const place = { epoch: 'k3f9', ms: 1, seq: 1 };
const extent = { epoch: 'k3f9', oldest: place, last: place };

const secretEncodings = ['text', 'hex', 'base64', 'whsec'] as const;
const formType = 'application/x-www-form-urlencoded';
const githubSource = { preset: 'github', scheme: null } as unknown as HookSource;
const challengedScheme = { ...schemeDefaults, challengeParameter: 'a' };
const withMapping: HookSource = { ...awkwardSource, preset: 'github' };
const toSent = (type: string, text: string) => ({
  rawHeaders: ['content-type', type],
  body: Buffer.from(text),
  urls: [`https://widgets.example/${text}`],
});

function readOrRefuse(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

const key = createSecretKey(Buffer.from('key'));

/** Verifies a request with this text in its body and, once, in the header with the signatures. */
function verifySourceSignatures(text: string): unknown {
  return Object.values(presets).flatMap(({ scheme }) => {
    if (scheme === null) return [];
    const { rawHeaders, ...sent } = toSent(formType, text);
    const signed = [...rawHeaders, 'webhook-id', text, 'webhook-timestamp', `${Math.floor(now.getTime() / 1_000)}`];
    const verify = (signature: string) =>
      verifySignature(scheme, [key], { ...sent, rawHeaders: [...signed, scheme.header, signature] }, now);
    return [text, makeWrongSignature(scheme)].map((signature) => readOrRefuse(() => verify(signature)));
  });
}

/** Each parser of text that others send, by its name: calls it with a text, in each place that takes one. */
export const parsersOfForeignText: Readonly<Record<string, (text: string) => unknown>> = {
  parseBearerToken: (text) => parseBearerToken(['authorization', text, text, text]),
  isCsrfToken: (text) => isCsrfToken('a session', text),
  isOwnOrigin: (text) => isOwnOrigin({ secFetchSite: undefined, origin: text }, ['https://widgets.example']),
  parseReturnTo: (text) => parseReturnTo(text, 'https://widgets.example'),
  parseSessionId,
  listCookieNames: (text) => listCookieNames(text, 'service_'),
  readCookie: (text) => readCookie(text, 'service_console'),
  isPrivateAddress,
  toNetwork,
  parseJson: (text) => [parseJson(text), parseJson(text, { isFreeForm: true })],
  countUpTo: (text) => countUpTo(text, '&', 4_096),
  isProblemCode,
  countHeader: (text) => countHeader({ rawHeaders: [text, text, 'host', text] }, 'host'),
  decodeHeaderText,
  cutWebhookId,
  encodeHeader,
  findHiddenCharacter,
  normalizeTarget,
  extractPath,
  isTokenAddress,
  isSessionStreamAddress,
  isStreamAddress,
  decodePath,
  escapeHtml,
  parseControlEntry,
  parseHookJob,
  parseProcessState,
  parseListedStreams,
  describeDevice,
  findPasswordWeakness: (text) => findPasswordWeakness(text, 'kim@example.com'),
  deriveEventId: (text) => deriveEventId('an integration', { kind: 'webhook-id', value: text }),
  parseIdempotencyKey,
  tryParseJson,
  canonicalizeJson,
  canonicalizeNumber,
  extractMemberText: (text) => extractMemberText(text, 'payload'),
  toSingleLine,
  parsePosition,
  assignPartition: (text) => assignPartition(text, 8),
  readClaim: (text) => readClaim({ [text]: text }, text),
  readRole: (text) => readRole({ roles: [text, text] }, 'roles', new Map([['staff', 'viewer']])),
  parseSigningSecret,
  findSecretMistake,
  unsealText: (text) => unsealText(text, 'a secret', 'a purpose'),
  parseUtcTimestamp,
  isWellFormedToken: (text) => isWellFormedToken(text, 'wst'),
  sha256Hex,
  isTraceContext,
  parseTraceparent,
  parseUuid,
  resolveStreamStart: (text) => resolveStreamStart(text, extent, false),
  prefersOpenMetrics,
  encodeHookId,
  parseExactJson,
  parseExactObject,
  parseAddress: (text) => parseAddress(text, 'an address'),
  describeAddress: (text) => describeAddress(`https://widgets.example/${text}`),
  isUnencryptedRemote: (text) => isUnencryptedRemote(`http://widgets.example/${text}`),
  findTimeMistake: (text) => findTimeMistake(text, now.getTime()),
  parsePointer,
  withholdSecrets: (text) => withholdSecrets([text, text, 'authorization', text], withMapping),
  answerProbe: (text) =>
    ['GET', 'OPTIONS'].map((method) =>
      answerProbe(
        { ...withMapping, preset: method === 'GET' ? 'custom' : 'cloudevents', scheme: challengedScheme },
        { method, rawHeaders: ['webhook-request-origin', text], query: new URLSearchParams(text) },
      ),
    ),
  findHeader: (text) => findHeader({ rawHeaders: [text, text, 'x-a', text] }, 'x-a'),
  readHeader: (text) => readHeader({ rawHeaders: [text, text, 'x-a', text] }, 'x-a'),
  isItemIndex,
  decryptText: (text) => decryptText(text, Buffer.alloc(32)),
  readHeaders: (text) => readHeaders({ rawHeaders: [text, text, `ce-${text}`, text] }, 'ce-'),
  readTextAt: (text) => readTextAt({ text, value: { a: { b: 1 } } }, '/a/b'),
  readObjectAt: (text) => readObjectAt({ text, value: { a: { b: {} } } }, '/a/b'),
  toSourceKey: (text) =>
    secretEncodings.map((secretEncoding) => toSourceKey(text, { ...schemeDefaults, secretEncoding })),
  decodeExactly: (text) => [decodeExactly(text, 'hex'), decodeExactly(text, 'base64')],
  toSourceKeys: (text) => toSourceKeys(schemeDefaults, [text, text]),
  rejectSecrets: (text) => rejectSecrets(githubSource, [text, text]),
  listSignedUrls,
  toUtcTime: (text) => (['rfc3339', 'unix-seconds', 'unix-milliseconds'] as const).map((each) => toUtcTime(text, each)),
  omitMembers: (text) => omitMembers(text, [['payload', 'a'], ['kind']]),
  extractTextAt: (text) => extractTextAt(text, ['payload', '0', 'a']),
  unsealSecrets: (text) => unsealSecrets(text, 'a token'),
  deriveWidgetId: (text) => deriveWidgetId('0197a0b0-0000-7000-8000-00000000abcd', text),
  // These take more than a text.
  readDocument: (text) =>
    ['application/json', formType].map((type) => readOrRefuse(() => readDocument(toSent(type, text)))),
  verifySignature: (text) => verifySourceSignatures(text),
  parsePendingSignIn: (text) => pendingSignIns.parse(`__Host-service_sign_in_BDpxh3TFcr2KJa2-=${text}`, 's', now),
};
