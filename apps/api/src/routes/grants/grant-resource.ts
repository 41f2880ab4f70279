import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Grant } from '@widget-service/shared/domain/grant.ts';
import type { Permission } from '@widget-service/shared/domain/role.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import type {
  GrantUseCases,
  IssuedGrant,
  NewGrant,
  Rotation,
} from '@widget-service/shared/usecases/access/manage-grants.ts';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toPublicUrl } from '../../http/forwarding.ts';

/** What a creation asks for, defaults filled in. */
interface NewGrantInput<Own extends object> {
  readonly input: NewGrant<Own>;
  readonly isSigned: boolean;
}

/** One kind of grant as its six operations show it: all that they do not have in common. */
export interface GrantResource<Own extends object> {
  readonly words: {
    /** With its article: "a subscription". */
    readonly one: string;
    readonly many: string;
  };
  /** The last part of the path: `/api/v1/<plural>`. */
  readonly plural: string;
  /** The operations are `example.<operations>.<verb>`. */
  readonly operations: string;
  readonly permission: Permission;
  readonly schemas: {
    readonly creation: z.ZodType<NewGrantInput<Own>>;
    readonly changes: z.ZodType<Partial<NewGrant<Own>>>;
    readonly rotation: z.ZodType<Rotation>;
    readonly shown: z.ZodType;
    readonly issued: z.ZodType;
    readonly rotated: z.ZodType;
  };
  /** A grant in the form that is returned: never with a secret. */
  readonly toBody: (grant: Grant & Own) => object;
  /** The path that a token opens; null when a token is no part of an address. */
  readonly toTokenPath: ((token: string) => string) | null;
}

export interface GrantRouteDeps<Own extends object> {
  readonly useCases: GrantUseCases<Own>;
  /** A plain read goes from the route to the port. */
  readonly grants: Pick<GrantStore<Grant & Own, never>, 'get' | 'list'>;
  readonly publicBaseUrl: string | null;
}

type Named = Pick<GrantResource<never>, 'words'>;

export const grantParamsSchema = z.object({ id: z.string() });

/** The id in the path. Throws `not-found` for what has not the form of one. */
export function requireId(params: z.output<typeof grantParamsSchema>, resource: Named): string {
  return requireFound(parseUuid(params.id), resource);
}

/** What was looked for. Throws `not-found` when it is null. */
export function requireFound<T>(value: T | null, { words }: Named): T {
  if (value === null) throw new ServiceError('not-found', `There is no such ${words.one.replace(/^an? /, '')}.`);
  return value;
}

/** A grant together with what is shown of its new token this once. */
export function toIssuedBody<Own extends object>(
  { grant, token, signingSecret }: IssuedGrant<Own>,
  { toBody, toTokenPath }: Pick<GrantResource<Own>, 'toBody' | 'toTokenPath'>,
  request: FastifyRequest,
  publicBaseUrl: string | null,
): object {
  return {
    ...toBody(grant),
    token,
    ...(toTokenPath === null ? {} : { url: toPublicUrl(request, publicBaseUrl, toTokenPath(token)) }),
    ...(signingSecret === null ? {} : { signingSecret }),
  };
}
