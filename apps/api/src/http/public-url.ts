import type { FastifyRequest } from 'fastify';

/** The address of a path of this service as the outside reaches it. `publicBaseUrl` has no slash at its end. */
export function publicUrlOf(request: FastifyRequest, publicBaseUrl: string | null, path: string): string {
  return `${publicBaseUrl ?? `${request.protocol}://${request.host || 'localhost'}`}${path}`;
}
