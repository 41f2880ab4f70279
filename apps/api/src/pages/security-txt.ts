import type { Route } from '../http/route.ts';
import { definePage } from './page.ts';

/** Whom to tell about a vulnerability of this deployment. */
export interface SecurityContact {
  /** URIs (`mailto:`, `https:`, `tel:`), the preferred one first. At least one. */
  readonly contacts: readonly string[];
  /** RFC 3339. After this time, readers treat the file as stale. */
  readonly expires: string;
}

export interface SecurityTxtRouteDeps {
  readonly securityContact: SecurityContact;
  readonly publicBaseUrl: string | null;
}

/**
 * `GET /.well-known/security.txt` (RFC 9116). It names its own address if that is known and begins with `https:`, as
 * the RFC demands. A base with a path is not: the file must be at the root of the host.
 */
export function securityTxtRoute({ securityContact, publicBaseUrl }: SecurityTxtRouteDeps): Route {
  const { contacts, expires } = securityContact;
  const lines = [...contacts.map((contact) => `Contact: ${contact}`), `Expires: ${expires}`];
  const base = publicBaseUrl === null ? null : new URL(publicBaseUrl);
  if (base?.protocol === 'https:' && base.pathname === '/')
    lines.push(`Canonical: ${base.origin}/.well-known/security.txt`);
  const text = `${lines.join('\n')}\n`;
  return definePage(async (_request, reply) => reply.type('text/plain; charset=utf-8').send(text));
}
