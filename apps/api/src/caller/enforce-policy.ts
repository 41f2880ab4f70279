import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type Permission, permissionsForRole } from '@widget-service/shared/domain/role.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import type { SignedIn } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import { readClientNetwork } from '../http/forwarding.ts';
import { parseSessionId } from './cookies.ts';
import {
  type BearerVerdict,
  bearerChallenge,
  type Caller,
  type Check,
  type ProvisionCaller,
  type SignedInCaller,
} from './credentials.ts';
import { isCsrfToken, isOwnOrigin } from './csrf.ts';

/**
 * Who may call a route. The table `process/routes.ts` gives each route its policy.
 * - `public`: everybody. The stream route has this policy, too: it checks the token in its path itself.
 * - `hook-token`: a caller with a valid hook token in the path.
 * - `own-origin`: everybody, but a browser only from a page of this service.
 * - `signed-in`: a caller with a session.
 * - `{ permission }`: a caller with a session whose user has the permission. With `acceptsBearer`, also a caller with a
 *   provision token that has the permission: then a Bearer token, valid or not, takes precedence over the cookie. Other
 *   routes ignore a Bearer token. With `ownOrigin`, a browser may call it only from a page of this service, whatever
 *   the method.
 *
 * A request that is authenticated by its cookie must also come from the service's own origin and have the CSRF token,
 * unless its method is GET, HEAD or OPTIONS.
 */
export type RoutePolicy =
  | 'public'
  | 'hook-token'
  | 'own-origin'
  | 'signed-in'
  | { readonly permission: Permission; readonly acceptsBearer?: boolean; readonly ownOrigin?: boolean };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. `registerPolicies` throws for a route without it, although the type says optional. */
    policy?: RoutePolicy;
    /** The route also serves a user who must change the password first. */
    allowedBeforePasswordChange?: boolean;
  }
}

export interface PolicyDeps {
  /**
   * Returns the session and its user; null if the session has ended or never existed. Waiting searches are served
   * round-robin by client network, so that one client cannot hold up the others.
   */
  readonly findSession: FindSession;
  /** As `findSession`, from the pod's cache: for widgets, where the end of a session or a new role may take 2 s. */
  readonly recallSession: FindSession;
  readonly verifyBearer: (request: FastifyRequest) => Promise<BearerVerdict>;
  readonly verifyHookToken: Check;
  /** Counts a request of a known caller. Null: there is no limit. */
  readonly takePermit: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | null;
  /** Pages of this URL's origin, and of the origin that the request addresses, count as own. Null: only the latter. */
  readonly publicBaseUrl: string | null;
}

type FindSession = (sessionId: string, clientNetwork: string) => Promise<SignedIn | null>;

const safeMethods: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS'];

/** If a body takes longer to arrive, its caller is checked again: the right may be lost meanwhile. */
const lateBodyMs = 1_000;

/**
 * Enforces the policy of each route that is registered after this call (`config.policy`, from the table of routes).
 * Registering a route without a policy throws an `Error`, so that the service does not start. The check runs before the
 * body arrives, and again before a late body is read, so that no caller acts with a right that was taken. It fails with
 * `ServiceError` `not-authenticated`, `password-change-required`, `permission-denied`, `csrf-token-invalid`,
 * `rate-limited` or `invalid-hook-token`, or with `UnavailableError`.
 */
export function registerPolicies(app: FastifyInstance, deps: PolicyDeps): void {
  const publicOrigins = deps.publicBaseUrl === null ? [] : [new URL(deps.publicBaseUrl).origin];
  app.addHook('onRoute', (route) => {
    const policy = route.config?.policy;
    if (policy === undefined) {
      throw new Error(`Route ${route.method} ${route.url} declares no policy: add it to process/routes.ts.`);
    }
    const allowedBeforePasswordChange = route.config?.allowedBeforePasswordChange ?? false;
    const check = compilePolicy(policy, allowedBeforePasswordChange, deps, publicOrigins);
    if (check === null) return;
    route.onRequest = [check, ...[route.onRequest ?? []].flat()];
    route.preValidation = [checkLateBody(check), ...[route.preValidation ?? []].flat()];
  });
}

/** Makes the Fastify hook that repeats a check for a late body. Its time counts toward the request's deadline. */
function checkLateBody(check: Check): preValidationHookHandler {
  return (request, reply, done) => {
    const arrivedMs = reply.elapsedTime;
    if (arrivedMs - request.elapsedBeforeBodyMs < lateBodyMs) {
      done();
      return;
    }
    check(request, reply, (error) => {
      request.elapsedBeforeBodyMs += reply.elapsedTime - arrivedMs;
      done(error);
    });
  };
}

function toCheck(check: (request: FastifyRequest, reply: FastifyReply) => Promise<void>): Check {
  return (request, reply, done) => void check(request, reply).then(() => done(), done);
}

function compilePolicy(
  policy: RoutePolicy,
  allowedBeforePasswordChange: boolean,
  deps: PolicyDeps,
  publicOrigins: readonly string[],
): Check | null {
  if (policy === 'public') return null;
  if (policy === 'hook-token') return deps.verifyHookToken;
  if (policy === 'own-origin') return toCheck(async (request) => rejectForeignOrigin(request, publicOrigins));
  const permission = policy === 'signed-in' ? null : policy.permission;
  const acceptsBearer = policy !== 'signed-in' && policy.acceptsBearer === true;
  const findSession = permission?.startsWith('widgets:') === true ? deps.recallSession : deps.findSession;
  return toCheck(async (request, reply) => {
    const verdict = acceptsBearer ? await deps.verifyBearer(request) : noBearer;
    const caller =
      verdict.status === 'absent' ? await findSessionCaller(request, findSession) : toProvisionCaller(verdict);
    if (caller === null) {
      if (acceptsBearer) reply.header('www-authenticate', bearerChallenge);
      throw new ServiceError(
        'not-authenticated',
        missingCredential[verdict.status === 'absent' ? 'session' : 'bearer'],
      );
    }
    const isLateBody = request.caller !== null;
    // Before the checks, so that the log line and the audit event of a refusal name the caller.
    request.caller = caller;
    request.callerFields = toCallerFields(caller);
    if (!isLateBody) await deps.takePermit?.(request, reply);
    if (caller.kind === 'session' && !safeMethods.includes(request.method)) {
      rejectForgedRequest(request, caller, publicOrigins);
    } else if (policy !== 'signed-in' && policy.ownOrigin === true) {
      rejectForeignOrigin(request, publicOrigins);
    }
    if (!allowedBeforePasswordChange && caller.kind === 'session' && caller.user.mustChangePassword) {
      throw new ServiceError('password-change-required', 'An admin has set your password. Change it first.');
    }
    if (permission !== null && !permissionsForCaller(caller).includes(permission)) {
      throw new ServiceError('permission-denied', `This request needs the permission ${permission}.`);
    }
  });
}

function toCallerFields(caller: Caller): Readonly<Record<string, string>> {
  return caller.kind === 'session' ? { userId: caller.user.id } : { provisionTokenId: caller.provisionToken.id };
}

const noBearer: BearerVerdict = { status: 'absent' };
const missingCredential = {
  session: 'This request needs exactly one valid session cookie. Sign in first.',
  bearer: 'The Bearer token is not a valid provision token.',
} as const;

async function findSessionCaller(request: FastifyRequest, findSession: FindSession): Promise<SignedInCaller | null> {
  const sessionId = parseSessionId(request.headers.cookie);
  if (sessionId === null) return null;
  const search = findSession(sessionId, readClientNetwork(request));
  const signedIn = await withDeadline(search, requestDeadlineMs, 'find the session and its user');
  return signedIn === null ? null : { kind: 'session', sessionId, ...signedIn };
}

function toProvisionCaller(verdict: BearerVerdict): ProvisionCaller | null {
  return verdict.status === 'ok' ? { kind: 'provision-token', provisionToken: verdict.provisionToken } : null;
}

function permissionsForCaller(caller: Caller): readonly Permission[] {
  return caller.kind === 'session' ? permissionsForRole(caller.user.role) : caller.provisionToken.permissions;
}

/**
 * A browser may send the cookie with requests of other pages, for example of a sibling domain (the cookie is
 * `SameSite=Lax`). So the request must come from an own origin, and its CSRF token must prove that our page sent it.
 */
function rejectForgedRequest(request: FastifyRequest, caller: SignedInCaller, publicOrigins: readonly string[]): void {
  rejectForeignOrigin(request, publicOrigins);
  if (isCsrfToken(caller.sessionId, request.headers['x-csrf-token'])) return;
  throw new ServiceError('csrf-token-invalid', "The header X-Csrf-Token must hold the session's csrfToken.");
}

function rejectForeignOrigin(request: FastifyRequest, publicOrigins: readonly string[]): void {
  const { origin } = request.headers;
  const secFetchSite = request.headers['sec-fetch-site']?.toString();
  if (isOwnOrigin({ secFetchSite, origin }, [request.ownOrigin, ...publicOrigins])) return;
  // The code covers every cross-site request, with or without a token.
  throw new ServiceError('csrf-token-invalid', "The request must come from the service's own origin.");
}

/**
 * Returns the signed-in caller. Throws an `Error` if there is none. A route with `acceptsBearer` may be called with a
 * provision token, so it uses `request.caller` or `requirePrincipalId`.
 */
export function requireSession(request: FastifyRequest): SignedInCaller {
  if (request.caller?.kind !== 'session') {
    throw new Error('The policy of this route does not require a session: see process/routes.ts.');
  }
  return request.caller;
}

/**
 * Returns the principal id: the id of the user or provision token whose rate limits and idempotency keys a request
 * uses. Never a secret. Throws an `Error` if the route's policy is neither `signed-in` nor `{ permission }`.
 */
export function requirePrincipalId(request: FastifyRequest): string {
  const { caller } = request;
  if (caller === null) throw new Error('The policy of this route sets no caller: use signed-in or a permission.');
  return caller.kind === 'session' ? caller.user.id : caller.provisionToken.id;
}
