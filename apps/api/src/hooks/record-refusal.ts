import type { HookRefusal } from '@widget-service/shared/ports/refusal-store.ts';
import { refusalLimits } from '@widget-service/shared/ports/refusal-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { FastifyRequest } from 'fastify';
import { type TrustedProxies, toClientNetwork } from '../http/forwarding.ts';
import type { Problem } from '../http/problem.ts';
import { decodeHeaderText } from '../http/request-headers.ts';
import type { RefusalRecorder } from './refusal-recorder.ts';

export interface RecordRefusalDeps {
  readonly recorder: Pick<RefusalRecorder, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly trustedProxies: TrustedProxies;
}

/**
 * Makes the function that records a refused hook, after its response. A hook with an unknown token belongs to no
 * integration: the function ignores it.
 */
export function makeRecordRefusal({ recorder, clock, trustedProxies }: RecordRefusalDeps) {
  return (request: FastifyRequest, problem: Problem): void => {
    if (request.integration === null) return;
    const { id: integrationId } = request.integration;
    recorder.record(integrationId, problem.code, () => ({
      integrationId,
      ...describeProblem(request, problem),
      refusedAt: clock.now(),
      clientAddress: toClientNetwork(request, trustedProxies),
    }));
  };
}

/** Returns who sent a hook, for its log line. Without `integrationId` if the token is unknown. */
export function describeSender(request: FastifyRequest, trustedProxies: TrustedProxies) {
  const clientAddress = toClientNetwork(request, trustedProxies);
  return request.integration === null ? { clientAddress } : { integrationId: request.integration.id, clientAddress };
}

function describeProblem(
  { id: requestId, headers }: FastifyRequest,
  { code, status, detail, errors = [] }: Problem,
): Pick<HookRefusal, 'requestId' | 'code' | 'status' | 'detail' | 'errors' | 'webhookId'> {
  const id = decodeHeaderText(headers['webhook-id']?.toString() ?? '');
  // The cut may leave a half of a surrogate pair.
  const webhookId = id.slice(0, refusalLimits.webhookIdLength).toWellFormed() || null;
  return { requestId, code, status, detail, errors, webhookId };
}
