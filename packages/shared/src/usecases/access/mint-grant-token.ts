import type { GrantToken } from '../../domain/grant.ts';
import { mintSigningSecret, sealSecret } from '../../domain/sealed-secret.ts';
import { digestOf, mintToken, type TokenPrefix } from '../../domain/token.ts';

/** What is shown of a new token this once. */
export interface ShownSecrets {
  readonly token: string;
  /** What the holder signs with (`whsec_…`); null without. */
  readonly signingSecret: string | null;
}

export interface MintedToken {
  readonly shown: ShownSecrets;
  /** What is stored of it. */
  readonly kept: GrantToken;
}

/** A new token, with a signing secret of its own if it is to have one. */
export function mintGrantToken(prefix: TokenPrefix, isSigned: boolean): MintedToken {
  const token = mintToken(prefix);
  const signingSecret = isSigned ? mintSigningSecret() : null;
  const sealedSecret = signingSecret === null ? null : sealSecret(signingSecret, token);
  return { shown: { token, signingSecret }, kept: { digest: digestOf(token), sealedSecret } };
}
