import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { IdentitySignInOutcome } from '@widget-service/shared/usecases/access/sign-in-by-identity.ts';
import type { FastifyRequest } from 'fastify';
import type { PersonOfProvider } from '../caller/oidc/identity-provider.ts';
import { recordProblem } from '../http/answer-failure.ts';
import type { Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';

/** A sign-in through the identity provider that is refused, for a reason that the console explains. */
class SignInRefusedError extends ServiceError {
  readonly reason: string;

  constructor(code: 'last-admin' | 'sign-in-refused', reason: string, publicText: string) {
    super(code, publicText, { internalMessage: reason });
    this.reason = reason;
  }
}

type RefusalReason = Extract<IdentitySignInOutcome, { readonly status: 'refused' }>['reason'];

const refusals: Readonly<Record<RefusalReason, string>> = {
  'no-role': 'The identity provider gives you no role in this service. Ask its administrators for one.',
  disabled: 'Your user is disabled in this service. Ask an admin of the service.',
  'no-email':
    'The ID token of the identity provider has no valid e-mail address in its claim "email", and a new user needs one.',
  'email-in-use':
    'Another user of this service has your e-mail address, and the identity provider does not say that the address is yours.',
  'last-admin':
    'Your new role would leave the service without an admin. Another person with the role admin has to sign in first.',
};

/** Converts the reason of a refusal to the error for the caller. */
export function toRefusedError(
  reason: RefusalReason,
  { hasRoleClaim }: PersonOfProvider,
  roleClaim: string,
): ServiceError {
  if (reason === 'no-role' && !hasRoleClaim) {
    const text = `The ID token of the identity provider has no claim "${roleClaim}", which gives the role in this service. Its administrators can add the claim to the ID token.`;
    return new SignInRefusedError('sign-in-refused', 'no-role-claim', text);
  }
  return new SignInRefusedError(reason === 'last-admin' ? 'last-admin' : 'sign-in-refused', reason, refusals[reason]);
}

/**
 * Makes the error handler of the two links of a sign-in. A browser that follows one must not end at a page of JSON, so
 * it is led to the sign-in page of the console, or else to `/docs`, with the reason in the query. A session that the
 * browser has goes on there. Other clients get the problem.
 */
export function makeShowSignInFailure(deps: RouteDeps): NonNullable<Route['errorHandler']> {
  const { PAGES } = deps.settings;
  const page = PAGES.has('console') ? 'console/' : PAGES.has('docs') ? 'docs' : null;
  return (error, request, reply) => {
    if (isUnusableProvider(error)) deps.metrics.identityProviderFailures.inc();
    // Fastify hands it to the error handler of all routes.
    if (page === null || !isNavigation(request)) throw error;
    const { code, requestId } = recordProblem(error, request);
    const reason = error instanceof SignInRefusedError ? error.reason : code;
    const query = new URLSearchParams({ signInFailed: reason, failedRequest: requestId });
    const start = new URL(`${deps.settings.PUBLIC_BASE_URL ?? request.ownOrigin}/`).pathname;
    return reply.redirect(`${start}${page}?${query}`, 303);
  };
}

function isUnusableProvider(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'identity-provider-unavailable';
}

/** Whether a browser shows the response in its window. Older ones do not say so, but ask for a page. */
function isNavigation({ headers }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? /\btext\/html\b/.test(headers.accept ?? '') : mode === 'navigate';
}
