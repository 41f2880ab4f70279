import { isWellFormedToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { FastifySchema } from 'fastify';
import { sendProblem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { answerProbe } from '../sources/read-source.ts';

interface ProbeRoute {
  Params: { token: string };
}

/**
 * `GET` and `OPTIONS /api/v1/events/hooks/{token}`: answers a foreign sender that asks whether its hooks are welcome.
 * For any other request, and for an unknown token, the address supports no such method.
 */
export function answerProbeRoute({ caches: { hooks } }: RouteDeps): Route {
  const findIntegration = async (token: string): Promise<Integration | null> => {
    if (!isWellFormedToken(token, 'wht')) return null;
    const digest = sha256Hex(token);
    const found = hooks.recall(digest) ?? (await hooks.resolve(digest));
    return found?.grant ?? null;
  };
  return defineRoute<FastifySchema, ProbeRoute>({
    config: { isUnlisted: true },
    schema: undocumented,
    handler: async ({ params, raw }, reply) => {
      const { method = '', rawHeaders, url = '' } = raw;
      const source = (await findIntegration(params.token))?.source ?? null;
      const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
      const answer = source === null ? null : answerProbe(source, { method, rawHeaders, query });
      if (answer === null) return sendProblem(reply.header('allow', 'POST'), { code: 'method-not-allowed' });
      return reply.headers(answer.headers).header('content-type', 'text/plain; charset=utf-8').send(answer.text);
    },
  });
}

/** Only senders call it, as their own documents say. */
const undocumented = { hide: true } as FastifySchema;
