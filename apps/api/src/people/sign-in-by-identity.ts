import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { pickChangedMembers, toAuditName } from '@widget-service/shared/entities/audit-event.ts';
import type { User } from '@widget-service/shared/entities/user.ts';
import type { IdentityUserChange } from '@widget-service/shared/usecases/access/sign-in-by-identity.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type FurtherChange, noteAudit } from '../audit/audit.ts';
import { formatSessionCookie } from '../caller/cookies.ts';
import { toRateLimitedError } from '../caller/limits/rate-limits.ts';
import { createPendingSignIns, parseReturnTo } from '../caller/oidc/pending-sign-in.ts';
import { toNotVerified } from '../caller/oidc/provider-calls.ts';
import { invalidRequest, statusForCode } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { documentResponses, withProblemHeaders } from '../schemas/problem.ts';
import { endReplacedSession, noteSignIn, toOrigin } from './sign-in-by-password.ts';
import { makeShowSignInFailure, toRefusedError } from './sign-in-failure.ts';
import { toUserAuditMembers } from './users.ts';

const startQuerySchema = z.object({
  returnTo: z
    .string()
    .max(500)
    .optional()
    .meta({
      description:
        'A path of this service to which the browser returns after the sign-in. The default is its start page.',
      examples: ['/docs'],
    }),
});

const callbackParameter = z.string().max(4_096).optional();
/** Providers add parameters of their own. The library verifies those that it needs. */
const callbackQuerySchema = z.looseObject({
  code: callbackParameter.meta({ description: 'The authorization code. It counts once.' }),
  state: callbackParameter.meta({ description: 'The state that the service sent to the provider.' }),
  iss: callbackParameter.meta({ description: 'The issuer (RFC 9207).' }),
  error: callbackParameter.meta({ description: 'Why the provider did not sign the person in.' }),
});

/**
 * Makes the function that returns the provider, and the sign-ins that browsers have started. It throws `not-found` if
 * none is configured.
 */
function makeRequireProvider({ identityProvider: provider, settings }: RouteDeps) {
  const pendingSignIns = createPendingSignIns(settings.OIDC_CLIENT_SECRET ?? '', settings.COOKIE_SECURE);
  // `checkCombinations` has made sure that a provider has it.
  const found = provider && { provider, pendingSignIns, publicBaseUrl: settings.PUBLIC_BASE_URL ?? '' };
  return () => {
    if (found !== null) return found;
    throw new ServiceError('not-found', 'This service has no identity provider.');
  };
}

/** The response of a link that a browser follows. */
const leads = (description: string) =>
  ({
    303: {
      description: `${description}, or after a failure to the sign-in page.`,
      body: null,
      headers: ['Location'],
      optionalHeaders: ['Set-Cookie', 'Retry-After'],
    },
  }) as const;

/**
 * `GET /api/v1/session/oidc` sends the browser to the identity provider. The provider sends it back to
 * `finishIdentitySignInRoute`. Both are links that a browser follows, so everybody may call them: the sealed cookie
 * proves that this browser started the sign-in.
 */
export function startIdentitySignInRoute(deps: RouteDeps): Route {
  const requireProvider = makeRequireProvider(deps);
  return defineRoute({
    errorHandler: makeShowSignInFailure(deps),
    schema: {
      operationId: 'example.session.startOidc',
      summary: 'Sign in through the identity provider',
      description:
        'Open this address in a browser, as a link: it leads to the identity provider (OpenID Connect, authorization code with PKCE), and from there back with a session. A sealed cookie keeps the sign-in for ten minutes, the last four of a browser side by side. A browser that fails is led to the sign-in page of the console. 404 if the operator has configured no provider.',
      querystring: startQuerySchema,
      response: documentResponses(
        leads('The browser goes on to the identity provider'),
        'not-found',
        'identity-provider-unavailable',
      ),
    },
    handler: async (request, reply) => {
      const { provider, publicBaseUrl, pendingSignIns } = requireProvider();
      const returnTo = requireReturnTo(request.query.returnTo, publicBaseUrl);
      const { url, secrets } = await provider.begin();
      const pending = pendingSignIns.format({ ...secrets, returnTo }, request.headers.cookie, deps.clock.now());
      return reply.header('set-cookie', pending).redirect(url, 303);
    },
  });
}

/** Returns the start page if none is given. Throws `invalid-request` for an address outside this service. */
function requireReturnTo(given: string | undefined, publicBaseUrl: string): string {
  const returnTo = parseReturnTo(given ?? `${new URL(`${publicBaseUrl}/`).pathname}`, publicBaseUrl);
  if (returnTo !== null) return returnTo;
  throw invalidRequest({ detail: 'Must be a path of this service.', code: 'format', parameter: 'returnTo' });
}

/** `GET /api/v1/session/oidc/callback`: signs in the person whom the provider has verified. */
export function finishIdentitySignInRoute(deps: RouteDeps): Route {
  const requireProvider = makeRequireProvider(deps);
  return defineRoute({
    errorHandler: makeShowSignInFailure(deps),
    schema: {
      operationId: 'example.session.finishOidc',
      summary: 'Return from the identity provider',
      description:
        'The identity provider sends the browser here. Verifies the response, takes the role from the ID token, starts a session and sets its cookie. A failed attempt ends this sign-in, too, and no other: its cookie is cleared. A browser that fails is led to the sign-in page of the console; with a session, it goes on there. After a 503, the browser can send the same callback again. Failed attempts count towards the rate limit; those that succeed have a generous one per user.',
      querystring: callbackQuerySchema,
      response: withProblemHeaders(
        documentResponses(
          leads('Signed in. The browser returns to where the sign-in was started'),
          'sign-in-not-verified',
          'sign-in-refused',
          'not-found',
          'last-admin',
          'rate-limited',
          'identity-provider-unavailable',
          'unavailable',
        ),
        'Set-Cookie',
      ),
    },
    handler: async (request, reply) => {
      const { provider, pendingSignIns } = requireProvider();
      const { state = '' } = request.query;
      const endPending = () => void reply.header('set-cookie', pendingSignIns.formatCleared(state));
      const { returnTo } = await limitFailures(request, reply, deps, endPending, async ({ source, readOrigin }) => {
        const started = pendingSignIns.parse(request.headers.cookie, state, deps.clock.now());
        if (started === null) throw toNotVerified('no cookie of a started sign-in');
        const identity = await provider.verify(readQuery(request), started, source.address);
        if (identity.email !== null) noteAudit(request, { email: identity.email });
        const furtherChanges: FurtherChange[] = [];
        const noteChange = (change: IdentityUserChange) => {
          furtherChanges.push(describeChange(change));
          noteAudit(request, { furtherChanges });
        };
        const outcome = await deps.signInByIdentity.run(identity, readOrigin, noteChange);
        if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
        if (outcome.status === 'refused') throw toRefusedError(outcome.reason, identity, deps.settings.OIDC_ROLE_CLAIM);
        // The provider gives the role at each sign-in.
        noteSignIn(request, outcome.user, { sessionId: outcome.session.id, role: outcome.user.role });
        await endReplacedSession(request, deps.manageSessions);
        const cookie = formatSessionCookie(outcome.sessionId, deps.settings.COOKIE_SECURE);
        reply.header('set-cookie', [cookie, pendingSignIns.formatCleared(state)]);
        return started;
      });
      return reply.redirect(returnTo, 303);
    },
  });
}

/** The change's audit event. The provider decided it: the person may not even know. */
function describeChange({ before, after }: IdentityUserChange): FurtherChange {
  const origin = {
    actor: { kind: 'identity-provider', id: null },
    actorName: null,
    target: { kind: 'user', id: after.id },
    targetName: toAuditName(after),
  } as const;
  const { email } = after;
  if (before === null) {
    return { ...origin, action: 'user.created', before: null, after: { email, ...toUserAuditMembers(after) } };
  }
  const toMembers = (user: User) => ({
    ...toUserAuditMembers(user),
    signIn: user.passwordHash === null ? 'identity-provider' : 'password',
  });
  return { ...origin, action: 'user.changed', ...pickChangedMembers(toMembers(before), toMembers(after)) };
}

/** The query as the provider sent it: the library reads it itself. */
function readQuery({ url }: FastifyRequest): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/**
 * Runs an attempt if the caller's address has not failed too often. A failure of the service or the provider does not
 * count: the browser can send the same callback again. `endPending` is called when the attempt itself has failed.
 */
async function limitFailures<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { signInLimits, settings }: RouteDeps,
  endPending: () => void,
  attempt: (origin: ReturnType<typeof toOrigin>) => Promise<T>,
): Promise<T> {
  const origin = toOrigin(request, settings.TRUSTED_PROXIES);
  const outcome = await signInLimits.run({ email: null, source: origin.source }, async () => {
    try {
      return { status: 'signed-in' as const, result: await attempt(origin) };
    } catch (error) {
      if (!(error instanceof ServiceError) || statusForCode(error.code) >= 500) throw error;
      return { status: 'refused' as const, error };
    }
  });
  if (outcome.status === 'rate-limited') throw toRateLimitedError(reply, 'sign-in', outcome);
  if (outcome.status === 'signed-in') return outcome.result;
  const { error } = outcome;
  endPending();
  // Such a response has no `err` in its log line, and the caller must not learn the reason.
  request.log.warn({ requestId: request.id, reason: error.internalMessage ?? error.code }, 'sign-in.refused');
  throw error;
}
