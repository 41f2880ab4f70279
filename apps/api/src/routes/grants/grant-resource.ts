import type { Grant } from '@widget-service/shared/domain/grant.ts';
import type { Permission } from '@widget-service/shared/domain/role.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import type { NewGrant } from '@widget-service/shared/usecases/access/issue-token.ts';
import type { GrantUseCases } from '@widget-service/shared/usecases/access/manage-grants.ts';
import type { Rotation } from '@widget-service/shared/usecases/access/rotate-token.ts';
import type { z } from 'zod';

/** What a creation asks for, defaults filled in. */
interface GrantCreation<Own extends object> {
  readonly chosen: NewGrant<Own>;
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
    readonly creation: z.ZodType<GrantCreation<Own>>;
    readonly changes: z.ZodType<Partial<NewGrant<Own>>>;
    readonly rotation: z.ZodType<Rotation>;
    readonly shown: z.ZodType;
    readonly issued: z.ZodType;
    readonly rotated: z.ZodType;
  };
  /** A grant in the form that is returned: never with a secret. */
  readonly toBody: (grant: Grant & Own) => object;
  /** The path that a token opens; null when a token is no part of an address. */
  readonly pathOf: ((token: string) => string) | null;
}

export interface GrantRouteDeps<Own extends object> {
  readonly useCases: GrantUseCases<Own>;
  /** A plain read goes from the route to the port. */
  readonly grants: Pick<GrantStore<Grant & Own, never>, 'get' | 'list'>;
  readonly publicBaseUrl: string | null;
}
