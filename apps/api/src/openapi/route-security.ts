import type { DescribedRoute } from './described-route.ts';

/** The credentials that a route takes: those it names, else those that its policy asks for. */
export function securityOf({ security, policy, isReading }: DescribedRoute): DescribedRoute['security'] {
  if (security !== null) return security;
  if (policy === 'public' || policy === 'hook-token' || policy === 'own-origin') return [];
  const bySession = isReading ? { sessionCookie: [] } : { sessionCookie: [], csrfToken: [] };
  return policy !== 'signed-in' && policy.acceptsBearer === true ? [bySession, { provisionToken: [] }] : [bySession];
}
