import { describeDevice } from '@widget-service/shared/domain/device.ts';
import type { SessionOrigin } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyRequest } from 'fastify';
import { type TrustedProxies, toShownAddress } from '../../http/forwarding.ts';

/** Returns where a request that signs somebody in comes from. The session stores it, for people to recognise. */
export function readSessionOrigin(
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  trustedProxies: TrustedProxies,
): SessionOrigin {
  return {
    device: describeDevice(request.headers['user-agent']),
    address: toShownAddress(request, trustedProxies),
  };
}
