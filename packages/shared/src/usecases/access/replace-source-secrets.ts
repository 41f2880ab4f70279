import { UnavailableError } from '../../domain/errors.ts';
import { sealAgain } from '../../domain/sealed-for-token.ts';
import type { ControlLog } from '../../ports/control-log.ts';
import type { Integration, IntegrationStore } from '../../ports/grant-store.ts';

const attemptsMax = 10;

export interface ReplaceSourceSecretsDeps {
  readonly integrations: Pick<IntegrationStore, 'get' | 'replaceTokens'>;
  readonly control: Pick<ControlLog, 'announce'>;
}

/**
 * Makes the function that replaces the secrets of a foreign sender, for the token and the previous one, and announces
 * it to every pod. It returns the changed integration, or null if there is none with this id and a foreign sender. It
 * throws `UnavailableError`: then the secrets may be replaced, and the caller can repeat it.
 */
export function makeReplaceSourceSecrets({ integrations, control }: ReplaceSourceSecretsDeps) {
  return async (id: string, secrets: readonly string[]): Promise<Integration | null> => {
    for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
      const before = await integrations.get(id);
      if (before === null || before.source === null) return null;
      const { token, tokenIssuedAt, previousToken } = before;
      const seal = (sealed: string | null) => (sealed === null ? null : sealAgain(secrets, sealed));
      const after = await integrations.replaceTokens(id, {
        replaced: before,
        token: { ...token, sealedSecret: seal(token.sealedSecret) },
        tokenIssuedAt,
        previousToken:
          previousToken === null ? null : { ...previousToken, sealedSecret: seal(previousToken.sealedSecret) },
      });
      // Null: another change of the tokens came first.
      if (after === null) continue;
      await control.announce({ kind: 'integration', id, change: 'changed' });
      return after;
    }
    throw new UnavailableError(`replace the secrets of an integration: other changes came first, ${attemptsMax} times`);
  };
}
