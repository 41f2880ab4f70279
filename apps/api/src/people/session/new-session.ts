import { describeDevice } from '@widget-service/shared/domain/device.ts';
import type { SessionOrigin, SignedIn, StartedSession } from '@widget-service/shared/usecases/access/sessions.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatSessionCookie } from '../../caller/cookies.ts';
import { type TrustedProxies, toShownAddress } from '../../http/forwarding.ts';
import { toSessionBody } from './get-session.ts';

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

/** Sends the session that a password has started: the session cookie, and the body with the CSRF token. */
export function sendNewSession(
  reply: FastifyReply,
  started: SignedIn & StartedSession,
  isSecure: boolean,
): FastifyReply {
  return reply
    .header('set-cookie', formatSessionCookie(started.sessionId, isSecure))
    .send(toSessionBody(started.sessionId, started));
}
