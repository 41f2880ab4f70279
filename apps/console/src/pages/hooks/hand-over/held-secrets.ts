import { signal } from '@preact/signals';
import type { IssuedGrant } from '../../../grants/grant-kind.ts';
import { goTo } from '../../../router/address.ts';
import { sessionState } from '../../../session/session.ts';

/** An integration whose secrets a person has not handed over yet. */
export interface HeldSecrets {
  readonly issued: IssuedGrant & { readonly url: string };
  /** Whether another system sends, in its own form. */
  readonly hasSource: boolean;
  /** The page that follows. */
  readonly next: string;
}

/** Only in memory: never in the address, the history or a storage. */
export const heldSecrets = signal<HeldSecrets | null>(null);

// The next person at this machine must not see them.
sessionState.subscribe(({ kind }) => {
  if (kind !== 'signed-in') heldSecrets.value = null;
});

interface HandOverOptions {
  readonly hasSource?: boolean;
  /** Default: the page of the integration. */
  readonly next?: string;
}

/** Leads to the page that shows the secrets of an integration once. */
export function handOver(issued: HeldSecrets['issued'], options: HandOverOptions = {}): void {
  const { hasSource = false, next = `/hooks/${issued.id}` } = options;
  heldSecrets.value = { issued, hasSource, next };
  goTo(`/hooks/${issued.id}/hand-over`);
}
