import { type Grant, previousTokenExpiry } from '@widget-service/shared/entities/grant.ts';
import type { NewGrant, Rotation, TokenIssue } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { z } from 'zod';
import { toBody } from '../schemas/body.ts';
import { pageQuerySchema, queryTime, timeText } from '../schemas/page.ts';
import { displayText, shownUuid, timestamp, utcTimeFormat } from '../schemas/text.ts';

/** Everything that differs between the kinds of grants in their seven operations. */
export interface GrantResource<Own extends object> {
  /** With its article: "a provision token". */
  readonly singular: string;
  /** The path is `/api/v1/<pathSegment>`. */
  readonly pathSegment: string;
  /** The operation ids are `example.<operationGroup>.<verb>`. */
  readonly operationGroup: string;
  readonly schemas: {
    /** A parsed create body, with its defaults filled in. */
    readonly creation: z.ZodType<Omit<TokenIssue, 'createdBy'> & { readonly input: NewGrant<Own> }>;
    readonly changes: z.ZodType<Partial<NewGrant<Own>>>;
    readonly rotation: z.ZodType<Rotation>;
    readonly shown: z.ZodType;
    readonly issued: z.ZodType;
    /** Default: as `issued`. */
    readonly rotated?: z.ZodType;
  };
  /** Converts a grant to the form that the API returns. It never contains a secret. */
  readonly toBody: (grant: Grant & Own) => object;
  /** Returns what only the response to a rotation has, of the previous token. `isValid`: it still works. */
  readonly toPreviousBody?: (grant: Grant & Own, isValid: boolean) => object;
  /** Throws `InputError` if a rotation does not fit the grant. Default: each fits. */
  readonly checkRotation?: (grant: Grant & Own, rotation: Rotation) => void;
  /** The path that contains a token; null for tokens that are sent in a header. */
  readonly toTokenPath: ((token: string) => string) | null;
}

const defaultOverlapSeconds = 300;
const overlapSecondsMax = 86_400;

const futureTime = timeText
  .check(({ value, issues }) => {
    if (value.getTime() > Date.now()) return;
    // The code of this error in the problem (`zod-validation.ts`).
    const params = { mistake: 'too-small' };
    issues.push({ code: 'custom', message: 'Must lie in the future.', params, input: value });
  })
  .meta(utcTimeFormat);

const name = displayText(1, 200).meta({
  description:
    'A name for people to recognise it by: 1 to 200 characters after trimming, without control characters and invisible ones.',
  examples: ['Plant north'],
});

/** The members that every kind of grant has in its create body. */
export const newGrantMembers = {
  name,
  expiresAt: futureTime
    .nullish()
    .transform((value) => value ?? null)
    .meta({
      default: null,
      description:
        'When it expires: a time in UTC, in the future. Null: never, or when the lifetime of its token ends if the service limits that.',
    }),
};

/** The same members in a change: a member left out keeps its value; null sets the default. `name` has no default. */
export const grantChangeMembers = {
  name: name.exactOptional(),
  expiresAt: futureTime.nullable().exactOptional(),
};

interface ShownGrant<Own extends z.ZodRawShape> {
  /** In the OpenAPI document. */
  readonly id: string;
  readonly description: string;
  /** The members of this kind alone. */
  readonly own: Own;
  /** The member with the last use of a grant. */
  readonly lastUse: 'lastConnectedAt' | 'lastReceivedAt' | 'lastUsedAt';
  readonly lastUseText: string;
  /** The secrets beside the token, which only the response to a create or a rotation shows. */
  readonly secrets: z.ZodRawShape;
}

/**
 * Makes the schemas of a grant in responses: `shown` without its secrets, and `issued` with a new token. `toBody`
 * converts a grant to `shown`.
 */
export function describeShown<Own extends z.ZodRawShape>(shown: ShownGrant<Own>) {
  const shape: z.ZodObject = z.object({
    id: shownUuid,
    name: z.string().meta({ examples: ['Plant north'] }),
    ...shown.own,
    expiresAt: timestamp.nullable().meta({ description: 'When it expires; null: never.', examples: [null] }),
    tokenIssuedAt: timestamp.describe('When its current token was issued: at its creation, or at the last rotation.'),
    previousExpiresAt: timestamp.nullable().meta({
      description:
        'Until when the previous token works after a rotation. It may be over. Null: there is no previous token.',
      examples: [null],
    }),
    createdAt: timestamp,
    createdBy: shownUuid.meta({
      description: 'The id of the user that created it.',
      examples: ['7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24'],
    }),
    [shown.lastUse]: timestamp.nullable().describe(shown.lastUseText),
  });
  const issuedShape = shape.extend({
    token: z.string().meta({
      description: 'The token. Keep it secret: it is not shown again.',
      examples: ['wst_4fJ0aYb2Qm8Zk1XcV5nR7tG3hW6pLdSe0U9iOq'],
    }),
    ...shown.secrets,
  });
  return {
    shown: shape.meta({ id: shown.id, description: shown.description }),
    issued: issuedShape.meta({ id: `Issued${shown.id}` }),
    issuedShape,
    toBody: (grant: Grant & { readonly [Name in keyof Own]: unknown }): object => {
      const previousExpiresAt = previousTokenExpiry(grant);
      return toBody(shape, { ...grant, previousExpiresAt, [shown.lastUse]: grant.lastUsedAt });
    },
  };
}

export const urlMember = {
  url: z.string().meta({
    format: 'uri',
    description: 'The address to use. It contains the token, so keep the whole address secret.',
  }),
};

export const rotationMembers = {
  overlapSeconds: z
    .int()
    .min(0)
    .max(overlapSecondsMax)
    .nullish()
    .meta({ default: defaultOverlapSeconds, description: 'How long the previous token keeps working, in seconds.' }),
};

/** The body of a rotation. No body means all defaults. */
export const rotationSchema = z
  .strictObject(rotationMembers)
  .nullish()
  .transform((value): Rotation => toRotation(value?.overlapSeconds, null))
  .meta({ id: 'Rotation', examples: [{ overlapSeconds: defaultOverlapSeconds }] });

/** Fills in the default overlap. `isSigned`: see `Rotation`. */
export function toRotation(overlapSeconds: number | null | undefined, isSigned: boolean | null): Rotation {
  return { overlapSeconds: overlapSeconds ?? defaultOverlapSeconds, isSigned };
}

/** The query of the lists of grants. */
export const listGrantsQuerySchema = pageQuerySchema.extend({
  createdBefore: queryTime('Only those that were created before this time, in UTC.'),
  expiresBefore: queryTime('Only those that expire before this time, in UTC, or have expired already.'),
  name: displayText(1, 200)
    .optional()
    .meta({
      description:
        'Only those whose name contains this text. Letters from A to Z match in either case, all others exactly.',
      examples: ['plant'],
    }),
});
