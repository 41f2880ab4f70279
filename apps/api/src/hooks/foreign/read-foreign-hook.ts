import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { HookSource } from '@widget-service/shared/domain/hook-source.ts';
import { unsealForToken } from '@widget-service/shared/domain/sealed-for-token.ts';
import type { GrantToken } from '@widget-service/shared/entities/grant.ts';
import type { SampleRefusal } from '@widget-service/shared/ports/sample-store.ts';
import type { FastifyRequest } from 'fastify';
import { toPublicUrl } from '../../http/forwarding.ts';
import { InputError } from '../../http/problem.ts';
import type { MappedHook } from '../../sources/map-hook.ts';
import { findSourceRefusal, type ReadSource, readSource } from '../../sources/read-source.ts';
import type { SentRequest } from '../../sources/sent-request.ts';
import { listSignedUrls } from '../../sources/signed-urls.ts';
import { type SourceKey, toSourceKeys } from '../../sources/source-key.ts';

/** What a request of a foreign sender is: a hook, nothing for us, or a question that the sender wants answered. */
export type ForeignHook =
  | { readonly type: 'hook'; readonly hook: MappedHook }
  | { readonly type: 'ignored' }
  | { readonly type: 'handshake'; readonly answer: string };

export interface ReadForeignHookDeps {
  readonly publicBaseUrl: string | null;
  /** Called before a request is refused, with the reason for whoever may know it. */
  readonly onRefused: (request: FastifyRequest, body: Uint8Array, code: string, refusal: SampleRefusal) => void;
}

/**
 * Makes the function that reads a request of a foreign sender. It throws `ServiceError` `invalid-hook-signature` or
 * `invalid-json`, `InputError` `hook-not-mappable`, or an `Error` if the stored secrets are damaged.
 */
export function makeReadForeignHook({ publicBaseUrl, onRefused }: ReadForeignHookDeps) {
  const getKeys = makeGetKeys();
  return (request: FastifyRequest, body: Uint8Array, now: Date): ForeignHook => {
    const { integration, hookToken } = request;
    if (integration === null || integration.source === null || hookToken === null) {
      throw new Error('the policy hook-token did not set an integration with a source');
    }
    const { source, id } = integration;
    const { token } = request.params as { token: string };
    const keys = getKeys(hookToken, token, source);
    const sent = toSentRequest(request, body, publicBaseUrl);
    const read = readSource({ source, keys, sent, integrationId: id, now });
    request.isSenderVerified = read.signature?.isValid === true;
    try {
      return toForeignHook(read);
    } catch (error) {
      const refusal = findSourceRefusal(read);
      if (error instanceof ServiceError && refusal !== null) onRefused(request, body, error.code, refusal);
      throw error;
    }
  };
}

function toForeignHook({ signature, mistake, answer, mapping }: ReadSource): ForeignHook {
  if (signature?.isValid === false) {
    throw new ServiceError('invalid-hook-signature', 'The signature of this hook is missing or not valid.');
  }
  if (mistake !== undefined) throw mistake;
  if (answer !== undefined) return { type: 'handshake', answer };
  if (mapping === undefined) throw new Error('unreachable: a document is mapped');
  if (mapping.outcome === 'ignored') return { type: 'ignored' };
  if (mapping.outcome === 'hook') return { type: 'hook', hook: mapping.hook };
  const { step, reason, place } = mapping;
  throw new InputError('hook-not-mappable', `The mapping of this integration fails at ${step}: ${reason}.`, [
    { detail: `${step}: ${reason}.`, code: 'format', ...place },
  ]);
}

/** Unsealed keys, kept as long as the token cache keeps this object. Unsealing costs more than verifying. */
function makeGetKeys() {
  const keysOfTokens = new WeakMap<GrantToken, readonly SourceKey[]>();
  return (hookToken: GrantToken, token: string, source: HookSource): readonly SourceKey[] => {
    const cached = keysOfTokens.get(hookToken);
    if (cached !== undefined) return cached;
    const keys = toSourceKeys(source, unsealForToken(hookToken.sealedSecret ?? '', token));
    if (keys === null) throw new Error('The stored secrets of a hook token are damaged: rotate its integration.');
    keysOfTokens.set(hookToken, keys);
    return keys;
  };
}

/** A sender may sign the address with the port of its scheme, or without. */
function toSentRequest(request: FastifyRequest, body: Uint8Array, publicBaseUrl: string | null): SentRequest {
  const { raw } = request;
  const url = toPublicUrl(request, publicBaseUrl, raw.url ?? '');
  return { rawHeaders: raw.rawHeaders, body, urls: listSignedUrls(url) };
}
