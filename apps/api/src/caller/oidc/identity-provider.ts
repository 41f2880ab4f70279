import type { Settings } from '@widget-service/shared/config/settings.ts';
import { describeError, ServiceError } from '@widget-service/shared/domain/errors.ts';
import { readClaim, readRole } from '@widget-service/shared/domain/role.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import type { VerifiedIdentity } from '@widget-service/shared/usecases/access/sign-in-by-identity.ts';
import type { ClientAuth, Configuration, DiscoveryRequestOptions, IDToken } from 'openid-client';
import { z } from 'zod';
import { classifyProviderError, findProviderFailure, makeProviderFetch, ProviderFailure } from './provider-calls.ts';

type Library = typeof import('openid-client');

const callbackPath = '/api/v1/session/oidc/callback';

/** The time limit of one request to the provider. A sign-in needs up to three: metadata, tokens and keys. */
const requestTimeoutMs = 3_000;
/** After that, the metadata is read again. The library reads the keys again as soon as it misses one. */
const metadataMaxAgeMs = 3_600_000;
/** The `Retry-After` of the response, in milliseconds. */
const failureMaxAgeMs = 1_000;
/** A provider that answers slowly must not collect all sign-ins in this process. */
const limits = { what: 'ask the identity provider', maxRunning: 32, maxWaiting: 200, maxWaitMs: 2_000 } as const;

/** The service sends requests to the last two, and browsers to the first one. */
const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

const emailSchema = z.string().max(254).regex(z.regexes.html5Email).toLowerCase();

/** What the callback needs to verify that the provider's response belongs to a sign-in that this browser started. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE verifier (RFC 7636). */
  readonly codeVerifier: string;
}

/** A person whom the provider has verified. */
export interface PersonOfProvider extends VerifiedIdentity {
  /** Whether the ID token has the claim that gives the role, whatever its values. */
  readonly hasRoleClaim: boolean;
}

/** An OpenID Connect provider. Methods throw `ServiceError` `identity-provider-unavailable`, or `UnavailableError`. */
export interface IdentityProvider {
  /** Reads the metadata of the provider, if it is not known yet. */
  check(): Promise<void>;
  /** Returns new secrets, and the URL at the provider that the browser goes to. */
  begin(): Promise<{ readonly url: string; readonly secrets: SignInSecrets }>;
  /**
   * Exchanges the code that the provider sent with the browser, and verifies the ID token. `query` is the query of the
   * callback as it came. Waiting calls are served round-robin by `clientAddress`, so that one client cannot hold up the
   * others.
   *
   * Also throws `ServiceError` `sign-in-not-verified` if the response does not belong to `secrets` or was used before,
   * and `sign-in-refused` if the provider says that it did not sign the person in.
   */
  verify(query: string, secrets: SignInSecrets, clientAddress: string): Promise<PersonOfProvider>;
}

/**
 * Loads the OpenID Connect library, and returns the provider of the settings. It sends no request yet: the service also
 * starts while the provider is down. Null: the settings name no provider.
 */
export async function openIdentityProvider(
  settings: Settings,
  clock: Pick<Clock, 'monotonicMs'>,
  timeoutMs = requestTimeoutMs,
): Promise<IdentityProvider | null> {
  if (settings.OIDC_ISSUER_URL === null) return null;
  const library = await import('openid-client');
  const redirectUri = `${settings.PUBLIC_BASE_URL}${callbackPath}`;
  const limit = createSemaphore(limits);
  const discover = makeDiscover(library, settings, settings.OIDC_ISSUER_URL, clock, timeoutMs);
  return {
    check: () => runProviderCall(library, async () => void (await discover())),
    begin: () =>
      runProviderCall(library, async () => {
        const config = await discover();
        const secrets = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          codeVerifier: library.randomPKCECodeVerifier(),
        };
        const { href: url } = library.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.OIDC_SCOPES,
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(secrets.codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url, secrets };
      }),
    verify: (query, { state, nonce, codeVerifier }, address) =>
      limit(
        () =>
          runProviderCall(library, async () => {
            const config = await discover();
            const tokens = await library.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
              expectedState: state,
              expectedNonce: nonce,
              pkceCodeVerifier: codeVerifier,
              idTokenExpected: true,
            });
            const claims = tokens.claims();
            if (claims === undefined) throw new Error('authorizationCodeGrant returned no ID token');
            return toVerifiedIdentity(claims, settings);
          }),
        address,
      ),
  };
}

/**
 * Makes the function that returns the configuration of the library, with the provider's metadata. Concurrent calls
 * share one request. A failure is remembered for a second, so that callers cannot make it ask a provider that is down
 * for each request.
 */
function makeDiscover(
  library: Library,
  settings: Settings,
  issuerUrl: string,
  clock: Pick<Clock, 'monotonicMs'>,
  timeoutMs: number,
) {
  // `checkCombinations` has made sure that they are set if the issuer is.
  const clientId = settings.OIDC_CLIENT_ID ?? '';
  const clientSecret = settings.OIDC_CLIENT_SECRET ?? '';
  const { origin } = new URL(issuerUrl);
  let current: { readonly config: Promise<Configuration>; readonly expiresAtMs: number } | null = null;

  function requestMetadata(): Promise<Configuration> {
    return library.discovery(
      new URL(issuerUrl),
      clientId,
      { client_secret: clientSecret },
      makeClientAuthentication(library, clientSecret),
      {
        [library.customFetch]: makeProviderFetch(issuerUrl),
        timeout: timeoutMs / 1_000,
        execute: listExtensions(library, issuerUrl),
      },
    );
  }

  /** Nothing here depends on the person who signs in, so every failure is one of the provider. */
  async function discover(): Promise<Configuration> {
    const config = await requestMetadata().catch((error) => {
      throw findProviderFailure(error) ?? new ProviderFailure(`its metadata is not usable: ${describeError(error)}`);
    });
    // The library makes an exception for the common endpoints of Entra ID, where every tenant is an issuer of its own.
    // Then the administrators of any tenant could give themselves the role admin here.
    if (config.serverMetadata().issuer !== issuerUrl) {
      throw new ProviderFailure('the issuer in the metadata is not exactly OIDC_ISSUER_URL');
    }
    for (const name of endpoints) {
      const url = config.serverMetadata()[name];
      if (url === undefined || !URL.canParse(url) || new URL(url).origin !== origin) {
        throw new ProviderFailure(`the ${name} in the metadata is missing, or of another origin than OIDC_ISSUER_URL`);
      }
    }
    return config;
  }

  return (): Promise<Configuration> => {
    const nowMs = clock.monotonicMs();
    if (current !== null && nowMs < current.expiresAtMs) return current.config;
    const started = { config: discover(), expiresAtMs: nowMs + metadataMaxAgeMs };
    current = started;
    started.config.catch(() => {
      if (current === started) current = { ...started, expiresAtMs: clock.monotonicMs() + failureMaxAgeMs };
    });
    return started.config;
  };
}

function listExtensions(library: Library, issuerUrl: string): NonNullable<DiscoveryRequestOptions['execute']> {
  // By default the library trusts TLS, and does not verify the signature of an ID token that came directly from the
  // provider. The settings allow http only on loopback.
  const isInsecure = new URL(issuerUrl).protocol === 'http:';
  return [library.enableNonRepudiationChecks, ...(isInsecure ? [library.allowInsecureRequests] : [])];
}

/**
 * Sends the secret by HTTP Basic if the provider names that or nothing. One with special characters goes into the body
 * if the provider names that, too: some compare what they get without decoding it.
 */
function makeClientAuthentication(library: Library, clientSecret: string): ClientAuth {
  const post = library.ClientSecretPost(clientSecret);
  return (...[server, client, body, headers]) => {
    const names = (method: string) => server.token_endpoint_auth_methods_supported?.includes(method);
    const plain = `${client.client_id}:${clientSecret}`;
    const encoded = `${encodeForm(client.client_id)}:${encodeForm(clientSecret)}`;
    const isBasic = names('client_secret_basic') !== false && (plain === encoded || !names('client_secret_post'));
    if (!isBasic) return post(server, client, body, headers);
    headers.set('authorization', `Basic ${Buffer.from(encoded).toString('base64')}`);
  };
}

/** Encodes a text as a form does (RFC 6749, appendix B): `-`, `.`, `_` and `*` stay as they are. */
function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function toVerifiedIdentity(claims: IDToken, settings: Settings): PersonOfProvider {
  const { OIDC_ROLE_CLAIM: roleClaim, OIDC_ROLE_MAPPING: roleMapping } = settings;
  const email = emailSchema.safeParse(claims.email);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: email.success ? email.data : null,
    // Some providers send the text "true". It does not count: an address may decide which account someone takes over.
    isEmailVerified: claims.email_verified === true,
    role: readRole(claims, roleClaim, roleMapping ?? new Map()),
    hasRoleClaim: readClaim(claims, roleClaim) !== undefined,
  };
}

async function runProviderCall<T>(library: Library, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof ServiceError ? error : classifyProviderError(library, error);
  }
}
