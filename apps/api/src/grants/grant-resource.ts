import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { GrantUseCases, NewGrant, Rotation } from '@widget-service/shared/usecases/access/manage-grants.ts';
import type { z } from 'zod';

/** A parsed create body, with its defaults filled in. */
interface NewGrantInput<Own extends object> {
  readonly input: NewGrant<Own>;
  /** Whether the token gets a signing secret. */
  readonly isSigned: boolean;
  /** The signing secret that the sender wants. Left out: a new one is made. */
  readonly dictatedSecret?: string | null;
  /** The secrets of a foreign sender. Left out: it is none. */
  readonly sourceSecrets?: readonly string[] | null;
}

/** Everything that differs between the kinds of grants in their seven operations. */
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
  /** Returns what only the response to a rotation has, of the previous token. `isValid`: it still works. */
  readonly toPreviousBody?: (grant: Grant & Own, isValid: boolean) => object;
  /** Throws `InputError` if a rotation does not fit the grant. Left out: each fits. */
  readonly checkRotation?: (grant: Grant & Own, rotation: Rotation) => void;
  /** The path that contains a token; null for tokens that are sent in a header. */
  readonly toTokenPath: ((token: string) => string) | null;
}

export interface GrantRouteDeps<Own extends object> {
  readonly useCases: GrantUseCases<Own>;
  /** Routes that only read call the port directly. */
  readonly grants: Pick<Collection<Grant & Own>, 'get' | 'list' | 'count'>;
  readonly publicBaseUrl: string | null;
}
