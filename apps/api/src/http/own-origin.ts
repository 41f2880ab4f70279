import type { Settings } from '@widget-service/shared/config/settings.ts';
import { isLoopback } from '@widget-service/shared/runtime/host-name.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The scheme and host by which the client addressed the service, for example `https://widgets.example`. They are
     * those that a trusted proxy forwards, if any. With secure cookies, the scheme is `https`, except for a
     * client that addresses a loopback name.
     */
    readonly ownOrigin: string;
    /** Whether the client uses the service over HTTPS only: then the response may forbid plain HTTP for the future. */
    readonly isHttpsOnly: boolean;
  }
}

/**
 * Declares `ownOrigin` and `isHttpsOnly` on every request. A browser sends a secure cookie over HTTPS only. So a
 * request that arrives over plain HTTP then comes from a proxy that terminates TLS, whatever that proxy forwards. The
 * exception is a loopback name: browsers trust such an address without TLS.
 */
export function decorateOwnOrigin(app: FastifyInstance, settings: Settings): void {
  const { COOKIE_SECURE: cookieSecure, PUBLIC_BASE_URL: publicBaseUrl } = settings;
  const hasHttpsBase = cookieSecure && publicBaseUrl !== null && new URL(publicBaseUrl).protocol === 'https:';
  const readOrigin = (request: FastifyRequest) =>
    `${cookieSecure && !isLoopbackAddressed(request) ? 'https' : request.protocol.toLowerCase()}://${request.host || 'localhost'}`;
  app.decorateRequest('ownOrigin', {
    getter() {
      return readOrigin(this);
    },
  });
  app.decorateRequest('isHttpsOnly', {
    getter() {
      return hasHttpsBase || (cookieSecure && !isLoopbackAddressed(this));
    },
  });
}

/** Whether the client addressed the service by a loopback address, or by no host at all. */
function isLoopbackAddressed({ hostname }: FastifyRequest): boolean {
  return hostname === '' || isLoopback(hostname);
}
