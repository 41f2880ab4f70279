import type { IssuedGrant } from '../../../grants/grant-kind.ts';
import { holdSecrets } from '../../../grants/hold-secrets.ts';
import { goTo } from '../../../router/address.ts';

/** An integration whose secrets a person has not handed over yet. */
export interface HeldSecrets {
  readonly issued: IssuedGrant & { readonly url: string };
  /** Whether another system sends, in its own form. */
  readonly hasSource: boolean;
  /** The page that follows. */
  readonly next: string;
}

export const heldSecrets = holdSecrets<HeldSecrets>();

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
