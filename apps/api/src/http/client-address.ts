import type { FastifyRequest } from 'fastify';
import { type TrustedProxies, toClientNetwork } from './forwarding.ts';

/**
 * Returns the address of the client for records: IPv4, or the /64 network of an IPv6 address. Null behind a proxy that is not
 * trusted, and once the connection is closed.
 */
export function toClientAddress(request: FastifyRequest, trustedProxies: TrustedProxies): string | null {
  return toClientNetwork(request, trustedProxies) || null;
}
