import { sealAgain } from '../../domain/sealed-secrets.ts';
import type { GrantToken, Integration } from '../../entities/grant.ts';
import type { Collection } from '../../ports/collection.ts';
import type { ControlLog } from '../../ports/control-log.ts';

export interface ReplaceSourceSecretsDeps {
  readonly integrations: Pick<Collection<Integration>, 'change'>;
  readonly control: Pick<ControlLog, 'announce'>;
}

/**
 * Makes the function that replaces the secrets of a foreign sender, for the token and the previous one, and announces
 * it to every pod. It returns the changed integration, or null if there is none with this id and a foreign sender. It
 * throws `UnavailableError`: then the secrets may be replaced, and the caller can repeat it.
 */
export function makeReplaceSourceSecrets({ integrations, control }: ReplaceSourceSecretsDeps) {
  return async (id: string, secrets: readonly string[]): Promise<Integration | null> => {
    const seal = <Token extends GrantToken>(token: Token): Token =>
      token.sealedSecret === null ? token : { ...token, sealedSecret: sealAgain(secrets, token.sealedSecret) };
    const after = await integrations.change(id, ({ source, token, previousToken }) =>
      source === null ? null : { token: seal(token), previousToken: previousToken && seal(previousToken) },
    );
    if (after !== null) await control.announce({ kind: 'integration', id, change: 'changed' });
    return after;
  };
}
