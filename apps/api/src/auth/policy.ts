import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type Permission, permissionsOf } from '@widget-service/shared/domain/role.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import { isCsrfToken, isOwnOrigin } from './csrf.ts';
import { sessionIdOf } from './session-cookie.ts';

/**
 * Who may call a route.
 * - `public`: anybody; a token in the path, if there is one, is the route's own business.
 * - `hook-token`: whoever has the hook token in the path.
 * - `own-origin`: anybody, but a browser only from a page of this service.
 * - `signed-in`: whoever has a session.
 * - `{ permission }`: whoever has a session whose user has the permission.
 *
 * By cookie, whatever changes something also needs the CSRF token. A further credential (a Bearer token) would be one
 * more member of the last form, decided before the cookie is looked at.
 */
export type RoutePolicy = 'public' | 'hook-token' | 'own-origin' | 'signed-in' | { readonly permission: Permission };

export interface SignedInCaller extends SignedIn {
  readonly sessionId: string;
}

export interface PolicyDeps {
  readonly findSession: (sessionId: string) => Promise<SignedIn | null>;
  readonly verifyHookToken: onRequestHookHandler;
  readonly publicBaseUrl: string | null;
}

const readingMethods: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Gives every route that is registered from now on the check its policy asks for, before its body is read. A route
 * without a policy stops the start.
 */
export function registerPolicies(app: FastifyInstance, deps: PolicyDeps): void {
  const publicOrigin = deps.publicBaseUrl === null ? [] : [new URL(deps.publicBaseUrl).origin];
  app.addHook('onRoute', (route) => {
    const policy = route.config?.policy;
    if (policy === undefined) throw new Error(`route ${route.method} ${route.url} declares no policy`);
    const check = checkOf(policy, deps, publicOrigin);
    if (check !== null) route.onRequest = [check, ...[route.onRequest ?? []].flat()];
  });
}

function checkOf(
  policy: RoutePolicy,
  deps: PolicyDeps,
  publicOrigin: readonly string[],
): onRequestAsyncHookHandler | onRequestHookHandler | null {
  if (policy === 'public') return null;
  if (policy === 'hook-token') return deps.verifyHookToken;
  if (policy === 'own-origin') return async (request: FastifyRequest) => refuseForeignOrigin(request, publicOrigin);
  return async (request: FastifyRequest) => {
    const caller = await identify(request, deps);
    if (!readingMethods.includes(request.method)) {
      refuseForeignOrigin(request, publicOrigin);
      if (!isCsrfToken(caller.sessionId, request.headers['x-csrf-token'])) {
        throw new ServiceError('csrf-token-invalid', "The header X-Csrf-Token must hold the session's csrfToken.");
      }
    }
    if (policy !== 'signed-in' && !permissionsOf(caller.user.role).includes(policy.permission)) {
      throw new ServiceError('permission-denied', `This needs the permission ${policy.permission}.`);
    }
    request.caller = caller;
  };
}

async function identify(request: FastifyRequest, { findSession }: PolicyDeps): Promise<SignedInCaller> {
  const sessionId = sessionIdOf(request.headers.cookie);
  const found = sessionId === null ? null : await findSession(sessionId);
  if (sessionId === null || found === null) {
    throw new ServiceError('not-authenticated', 'This needs exactly one valid session cookie: sign in first.');
  }
  return { sessionId, ...found };
}

function refuseForeignOrigin(request: FastifyRequest, publicOrigin: readonly string[]): void {
  const { origin, host } = request.headers;
  const secFetchSite = request.headers['sec-fetch-site']?.toString();
  if (isOwnOrigin({ secFetchSite, origin }, [`${request.protocol}://${host}`, ...publicOrigin])) return;
  throw new ServiceError('csrf-token-invalid', "The request must come from the service's own origin.");
}

/** The caller of a route whose policy asks for a session. */
export function callerOf(request: FastifyRequest): SignedInCaller {
  if (request.caller === null) throw new Error('the route has no policy that asks for a session');
  return request.caller;
}
