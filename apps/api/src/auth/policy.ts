import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type Permission, permissionsForRole } from '@widget-service/shared/domain/role.ts';
import type { ProvisionToken } from '@widget-service/shared/ports/grant-store.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import { type BearerVerdict, bearerChallenge } from './bearer.ts';
import { isCsrfToken, isOwnOrigin } from './csrf.ts';
import { parseSessionId } from './session-cookie.ts';

/**
 * Who may call a route.
 * - `public`: anybody; a token in the path, if there is one, is the route's own business.
 * - `hook-token`: whoever has the hook token in the path.
 * - `own-origin`: anybody, but a browser only from a page of this service.
 * - `signed-in`: whoever has a session.
 * - `{ permission }`: whoever has a session whose user has the permission; with `acceptsBearer` also whoever has a
 *   provision token with it. Where a request brings a Bearer token, right or wrong, its cookie is not looked at.
 *
 * By cookie, whatever changes something also needs the CSRF token.
 */
export type RoutePolicy =
  | 'public'
  | 'hook-token'
  | 'own-origin'
  | 'signed-in'
  | { readonly permission: Permission; readonly acceptsBearer?: boolean };

/** Who calls a route whose policy asks for a session or a permission. */
export type Caller = SignedInCaller | ProvisionCaller;

export interface SignedInCaller extends SignedIn {
  readonly kind: 'session';
  readonly sessionId: string;
}

interface ProvisionCaller {
  readonly kind: 'provision-token';
  readonly provisionToken: ProvisionToken;
}

export interface PolicyDeps {
  readonly findSession: (sessionId: string) => Promise<SignedIn | null>;
  readonly verifyBearer: (request: FastifyRequest) => Promise<BearerVerdict>;
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
    const check = compilePolicy(policy, deps, publicOrigin);
    if (check !== null) route.onRequest = [check, ...[route.onRequest ?? []].flat()];
  });
}

function compilePolicy(
  policy: RoutePolicy,
  deps: PolicyDeps,
  publicOrigin: readonly string[],
): onRequestAsyncHookHandler | onRequestHookHandler | null {
  if (policy === 'public') return null;
  if (policy === 'hook-token') return deps.verifyHookToken;
  if (policy === 'own-origin') return async (request: FastifyRequest) => refuseForeignOrigin(request, publicOrigin);
  const { permission = null, acceptsBearer = false } = policy === 'signed-in' ? {} : policy;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const verdict = acceptsBearer ? await deps.verifyBearer(request) : absent;
    const caller = verdict.status === 'absent' ? await findSessionCaller(request, deps) : toProvisionCaller(verdict);
    if (caller === null) {
      if (acceptsBearer) reply.header('www-authenticate', bearerChallenge);
      throw new ServiceError('not-authenticated', missing[verdict.status === 'absent' ? 'session' : 'bearer']);
    }
    if (caller.kind === 'session' && !readingMethods.includes(request.method)) {
      refuseForgedRequest(request, caller, publicOrigin);
    }
    if (permission !== null && !permissionsForCaller(caller).includes(permission)) {
      throw new ServiceError('permission-denied', `This needs the permission ${permission}.`);
    }
    request.caller = caller;
    request.callerFields = toCallerFields(caller);
  };
}

function toCallerFields(caller: Caller): Readonly<Record<string, string>> {
  return caller.kind === 'session' ? { userId: caller.user.id } : { provisionTokenId: caller.provisionToken.id };
}

const absent: BearerVerdict = { status: 'absent' };
const missing = {
  session: 'This needs exactly one valid session cookie: sign in first.',
  bearer: 'The Bearer token is not a valid provision token.',
} as const;

async function findSessionCaller(request: FastifyRequest, { findSession }: PolicyDeps): Promise<SignedInCaller | null> {
  const sessionId = parseSessionId(request.headers.cookie);
  if (sessionId === null) return null;
  const found = await withDeadline(findSession(sessionId), requestDeadlineMs, 'find the session and its user');
  return found === null ? null : { kind: 'session', sessionId, ...found };
}

function toProvisionCaller(verdict: BearerVerdict): ProvisionCaller | null {
  return verdict.status === 'ok' ? { kind: 'provision-token', provisionToken: verdict.provisionToken } : null;
}

function permissionsForCaller(caller: Caller): readonly Permission[] {
  return caller.kind === 'session' ? permissionsForRole(caller.user.role) : caller.provisionToken.permissions;
}

/** A browser sends the cookie by itself, also for a page from elsewhere: the page must prove that it is our own. */
function refuseForgedRequest(request: FastifyRequest, caller: SignedInCaller, publicOrigin: readonly string[]): void {
  refuseForeignOrigin(request, publicOrigin);
  if (isCsrfToken(caller.sessionId, request.headers['x-csrf-token'])) return;
  throw new ServiceError('csrf-token-invalid', "The header X-Csrf-Token must hold the session's csrfToken.");
}

function refuseForeignOrigin(request: FastifyRequest, publicOrigin: readonly string[]): void {
  const { origin } = request.headers;
  const secFetchSite = request.headers['sec-fetch-site']?.toString();
  if (isOwnOrigin({ secFetchSite, origin }, [`${request.protocol}://${request.host}`, ...publicOrigin])) return;
  throw new ServiceError('csrf-token-invalid', "The request must come from the service's own origin.");
}

/** The person who calls a route that only a session opens. */
export function requireSession(request: FastifyRequest): SignedInCaller {
  if (request.caller?.kind !== 'session') throw new Error('the route has no policy that asks for a session');
  return request.caller;
}

/** Whose limits and idempotency keys a request counts for: the id of the caller, never a secret. */
export function requirePrincipalId(request: FastifyRequest): string {
  const { caller } = request;
  if (caller === null) throw new Error('the route has no policy that asks for a credential');
  return caller.kind === 'session' ? caller.user.id : caller.provisionToken.id;
}
