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

/** A parsed create body, with its defaults filled in. */
interface NewGrantInput<Own extends object> {
  readonly input: NewGrant<Own>;
  /** Whether the token gets a signing secret. */
  readonly isSigned: boolean;
}

/** Everything that differs between the kinds of grants in their six operations. */
export interface GrantResource<Own extends object> {
  readonly nouns: {
    /** With its article: "a subscription". */
    readonly singular: string;
    readonly plural: string;
  };
  /** The path is `/api/v1/<pathSegment>`. */
  readonly pathSegment: string;
  /** The operation ids are `example.<operationGroup>.<verb>`. */
  readonly operationGroup: string;
  readonly permission: Permission;
  readonly schemas: {
    readonly creation: z.ZodType<NewGrantInput<Own>>;
    readonly changes: z.ZodType<Partial<NewGrant<Own>>>;
    readonly rotation: z.ZodType<Rotation>;
    readonly shown: z.ZodType;
    readonly issued: z.ZodType;
    readonly rotated: z.ZodType;
  };
  /** Converts a grant to the form that the API returns. It never contains a secret. */
  readonly toBody: (grant: Grant & Own) => object;
  /** The path that contains a token; null for tokens that are sent in a header. */
  readonly toTokenPath: ((token: string) => string) | null;
}

export interface GrantRouteDeps<Own extends object> {
  readonly useCases: GrantUseCases<Own>;
  /** Routes that only read call the port directly. */
  readonly grants: Pick<GrantStore<Grant & Own, never>, 'get' | 'list'>;
  readonly publicBaseUrl: string | null;
}

type NamedResource = Pick<GrantResource<never>, 'nouns'>;

export const grantParamsSchema = z.object({ id: z.string() });

/** Returns the id in the path, in lower case. Throws `not-found` if it is not a UUID. */
export function requireId(params: z.output<typeof grantParamsSchema>, resource: NamedResource): string {
  return requireFound(parseUuid(params.id), resource);
}

/** Returns the value. Throws `not-found` if it is null. */
export function requireFound<T>(value: T | null, { nouns }: NamedResource): T {
  if (value === null) throw new ServiceError('not-found', `There is no such ${nouns.singular.replace(/^an? /, '')}.`);
  return value;
}

/** Converts a grant and the secrets of its new token to a response body. Only this response shows the secrets. */
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
