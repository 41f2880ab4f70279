import type { IssuedGrant } from '../../grants/describe-grant.ts';
import { holdSecrets } from '../../grants/secrets.tsx';
import { goTo } from '../../router/address.ts';

/** A subscription whose URL a person has not saved yet. */
export type HeldStream = IssuedGrant & { readonly url: string };

export const heldStream = holdSecrets<HeldStream>();

/** Leads to the page of a new or rotated subscription, which shows its URL once. */
export function showNewUrl({ url = '', ...issued }: IssuedGrant): void {
  heldStream.value = { ...issued, url };
  goTo(`/streams/${issued.id}`);
}
