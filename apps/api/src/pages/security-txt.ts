import type { Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { definePage } from './page.ts';

const dayMs = 86_400_000;
/** RFC 9116 recommends less than a year. A running service vouches for its contact, so the time moves on. */
const expiresAfterDays = 180;

/**
 * `GET /.well-known/security.txt` (RFC 9116). It names its own address if `PUBLIC_BASE_URL` begins with `https:`, as
 * the RFC demands, and has no path: the file must be at the root of the host.
 */
export function securityTxtRoute({ settings, clock }: RouteDeps): Route {
  const lines = (settings.SECURITY_CONTACT ?? []).map((contact) => `Contact: ${contact}`);
  const base = settings.PUBLIC_BASE_URL === null ? null : new URL(settings.PUBLIC_BASE_URL);
  if (base?.protocol === 'https:' && base.pathname === '/')
    lines.push(`Canonical: ${base.origin}/.well-known/security.txt`);
  const formatText = () => {
    const today = Math.floor(clock.now().getTime() / dayMs);
    return `${lines.join('\n')}\nExpires: ${new Date((today + expiresAfterDays) * dayMs).toISOString()}\n`;
  };
  return definePage(async (_request, reply) => reply.type('text/plain; charset=utf-8').send(formatText()));
}
