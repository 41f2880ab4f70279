import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { RoutePolicy } from '../auth/policy.ts';
import { statusOf } from '../http/problem.ts';
import type { DescribedRoute } from './described-route.ts';

/** The codes that a route refuses with, by status: those that follow from what it is, and those that it names. */
export function refusalsOf(route: DescribedRoute): Map<number, readonly ProblemCode[]> {
  const codes = [...new Set([...impliedCodes(route), ...route.answers.refusals])];
  const statuses = [...new Set(codes.map(statusOf))].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, codes.filter((code) => statusOf(code) === status)]));
}

function impliedCodes(route: DescribedRoute): ProblemCode[] {
  return [
    ...policyCodes(route.policy, route.isReading),
    ...(route.body === null && route.querystring === null ? [] : (['invalid-request'] as const)),
    // A body is read before it is known that none was asked for.
    ...(route.isReading ? [] : (['invalid-json', 'unsupported-media-type', 'payload-too-large'] as const)),
    ...(route.parameters.includes('Idempotency-Key') ? (['invalid-idempotency-key'] as const) : []),
    ...(route.rateLimit !== null ? (['rate-limited'] as const) : []),
  ];
}

function policyCodes(policy: RoutePolicy, isReading: boolean): ProblemCode[] {
  if (policy === 'public') return [];
  if (policy === 'hook-token') return ['invalid-hook-token', 'unavailable'];
  if (policy === 'own-origin') return ['csrf-token-invalid'];
  return [
    'not-authenticated',
    ...(isReading ? [] : (['csrf-token-invalid'] as const)),
    ...(policy === 'signed-in' ? [] : (['permission-denied'] as const)),
    'unavailable',
  ];
}
