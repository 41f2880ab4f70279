import type { VerifiedIdentity } from '@widget-service/shared/usecases/access/sign-in-by-identity.ts';

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
