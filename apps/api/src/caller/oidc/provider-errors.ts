import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { ProviderFailure } from './provider-fetch.ts';

type Library = typeof import('openid-client');

/** Codes of the library for a response that an OpenID Connect provider would not send. */
const unusableResponseCodes: readonly unknown[] = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];
/** Errors with which a provider says in the browser's redirect that it cannot work now (RFC 6749, section 4.1.2.1). */
const temporaryErrors: readonly unknown[] = ['server_error', 'temporarily_unavailable'];

/**
 * Converts an error of the library to the `ServiceError` for the caller. Its texts for our logs name codes only: the
 * errors of the library may hold tokens, and texts that the provider or the browser chose.
 */
export function classifyProviderError(library: Library, error: unknown): ServiceError {
  const failure = findProviderFailure(error);
  if (failure !== null) return toUnavailable(failure.message);
  if (error instanceof library.AuthorizationResponseError) {
    if (temporaryErrors.includes(error.error)) return toUnavailable(`it sent the browser back with ${error.error}`);
    return new ServiceError('sign-in-refused', 'The identity provider did not sign you in.');
  }
  if (error instanceof library.ResponseBodyError && error.error === 'invalid_grant') {
    return toNotVerified('the provider rejects the code: invalid_grant');
  }
  if (error instanceof library.ResponseBodyError || error instanceof library.WWWAuthenticateChallengeError) {
    return toUnavailable(`it rejects this client with status ${error.status}: check OIDC_CLIENT_ID and its secret`);
  }
  const { code } = error as { code?: unknown };
  if (error instanceof library.ClientError && (code === undefined || unusableResponseCodes.includes(code))) {
    return toUnavailable(`${error.message} (${String(code)})`);
  }
  if (error instanceof library.ClientError) return toNotVerified(String(code));
  return new ServiceError('internal', 'The service failed to handle this request.', { cause: error });
}

/** Returns the failure that the library wrapped into another error, or null if the provider did not fail. */
export function findProviderFailure(error: unknown): ProviderFailure | null {
  if (error instanceof ProviderFailure) return error;
  return error instanceof Error && error.cause !== undefined ? findProviderFailure(error.cause) : null;
}

function toUnavailable(reason: string): ServiceError {
  return new ServiceError(
    'identity-provider-unavailable',
    'The identity provider does not answer as it should. Try again shortly.',
    { internalMessage: `identity provider: ${reason}` },
  );
}

/** The error for every response that does not prove who someone is. It does not say what was wrong. */
export function toNotVerified(reason: string): ServiceError {
  return new ServiceError('sign-in-not-verified', 'The sign-in could not be verified. Start it again.', {
    internalMessage: reason,
  });
}
