import type { FastifyInstance } from 'fastify';

/** Whom to tell about a vulnerability of this deployment. */
export interface SecurityContact {
  /** URIs (`mailto:`, `https:`, `tel:`), the preferred one first. At least one. */
  readonly contacts: readonly string[];
  /** RFC 3339. After this time, readers treat the file as stale. */
  readonly expires: string;
}

/**
 * `GET /.well-known/security.txt` (RFC 9116). It names its own address if that is known and begins with `https:`, as
 * the RFC demands. A base with a path is not: the file must be at the root of the host.
 */
export function registerSecurityTxt(
  app: FastifyInstance,
  { contacts, expires }: SecurityContact,
  publicBaseUrl: string | null,
): void {
  const path = '/.well-known/security.txt';
  const lines = [...contacts.map((contact) => `Contact: ${contact}`), `Expires: ${expires}`];
  const base = publicBaseUrl === null ? null : new URL(publicBaseUrl);
  if (base?.protocol === 'https:' && base.pathname === '/') lines.push(`Canonical: ${base.origin}${path}`);
  const text = `${lines.join('\n')}\n`;
  app.route({
    method: ['GET', 'HEAD'],
    url: path,
    config: { policy: 'public' },
    schema: { hide: true },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(text),
  });
}
