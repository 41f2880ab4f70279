import type { IssuedGrant } from '@widget-service/shared/usecases/access/issue-token.ts';
import type { FastifyRequest } from 'fastify';
import { publicUrlOf } from '../../http/public-url.ts';
import type { GrantResource } from './grant-resource.ts';

/** A grant together with what is shown of its new token this once. */
export function toIssuedBody<Own extends object>(
  { grant, token, signingSecret }: IssuedGrant<Own>,
  { toBody, pathOf }: Pick<GrantResource<Own>, 'toBody' | 'pathOf'>,
  request: FastifyRequest,
  publicBaseUrl: string | null,
): object {
  return {
    ...toBody(grant),
    token,
    ...(pathOf === null ? {} : { url: publicUrlOf(request, publicBaseUrl, pathOf(token)) }),
    ...(signingSecret === null ? {} : { signingSecret }),
  };
}
