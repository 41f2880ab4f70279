import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { CustomFetch } from 'openid-client';

type Library = typeof import('openid-client');

/** Far more than metadata, keys or tokens need. */
const responseBytesMax = 1_048_576;

/** The identity provider does not answer, is overloaded, or answers with something else than the protocol allows. */
export class ProviderFailure extends Error {}

/**
 * Makes the function that sends every request to the identity provider. It sends none to another origin than the
 * issuer's: the addresses come from the provider's metadata, and must not turn this service into a client of internal
 * servers. It follows no redirects, and reads at most 1 MiB of a response. The library's time limit (`signal`) also
 * ends the reading. Throws `ProviderFailure`, also for 429 and 5xx.
 */
export function makeProviderFetch(issuerUrl: string): CustomFetch {
  const { origin } = new URL(issuerUrl);
  return async (url, options) => {
    if (new URL(url).origin !== origin) {
      throw new ProviderFailure('its metadata names an endpoint with another origin than the issuer');
    }
    try {
      const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual' });
      const { status, headers } = response;
      if (status === 429 || status >= 500) throw new ProviderFailure(`it answered ${status}`);
      const body = await readBody(response);
      return new Response(body.length === 0 ? null : body, { status, headers });
    } catch (error) {
      throw error instanceof ProviderFailure ? error : new ProviderFailure(describeFailure(error));
    }
  };
}

async function readBody(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the response.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw new ProviderFailure(`its answer has more than ${responseBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `fetch` fails with a text that says nothing; the reason is in `cause`. Neither contains what was sent. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `${error.message}: ${cause.code}` : error.message;
}

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
