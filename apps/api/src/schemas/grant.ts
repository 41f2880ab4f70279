import { parseUtcTimestamp } from '@widget-service/shared/domain/timestamp.ts';
import type { Rotation } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { z } from 'zod';
import { displayText, timestamp } from './text.ts';

const defaultOverlapSeconds = 300;
const overlapSecondsMax = 86_400;

/** A time that has not come yet, as a `Date`. */
const futureTime = z
  .string()
  .transform((text, { issues }) => {
    const parsedMs = parseUtcTimestamp(text);
    if (parsedMs === null) {
      issues.push({ code: 'custom', message: 'Must be an RFC 3339 time in UTC.', input: text });
    } else if (parsedMs <= Date.now()) {
      issues.push({
        code: 'custom',
        message: 'Must lie in the future.',
        params: { mistake: 'too-small' },
        input: text,
      });
    }
    return new Date(parsedMs ?? 0);
  })
  .meta({ type: 'string', format: 'date-time' });

const name = displayText(1, 200).meta({ description: 'For people to tell it by.', examples: ['Plant north'] });

/** What is input for every kind of grant when it is created. */
export const newGrantMembers = {
  name,
  expiresAt: futureTime
    .nullish()
    .transform((given) => given ?? null)
    .meta({ default: null, description: 'When it is to end by itself, in UTC and in the future; null: never.' }),
};

/** The same when it is changed: what is left out stays as it is, and null is the default. A name has none. */
export const grantChangeMembers = {
  name: name.exactOptional(),
  expiresAt: futureTime.nullable().exactOptional(),
};

/** What every kind of grant shows at its beginning and its end; what is its own stands in between. */
export const grantHead = {
  id: z.string().meta({ format: 'uuid' }),
  name: z.string().meta({ examples: ['Plant north'] }),
};
export const grantTail = {
  expiresAt: timestamp.nullable().meta({ description: 'When it ends by itself; null: never.', examples: [null] }),
  createdAt: timestamp,
};

/** What is shown of a new token this once. */
export const tokenMember = {
  token: z.string().meta({
    description: 'The secret itself: keep it secret, it is not shown again.',
    examples: ['wst_4fJ0aYb2Qm8Zk1XcV5nR7tG3hW6pLdSe0U9iOq'],
  }),
};
export const urlMember = {
  url: z.string().meta({ format: 'uri', description: 'The address to use, which holds the token: as secret as that.' }),
};
/** Until when the replaced token goes on working; null: it has ended. */
export const previousExpiresAtMember = {
  previousExpiresAt: timestamp
    .nullable()
    .meta({ description: 'Until when the replaced token goes on working; null when it has ended.' }),
};

export const rotationMembers = {
  overlapSeconds: z
    .int()
    .min(0)
    .max(overlapSecondsMax)
    .nullish()
    .meta({ default: defaultOverlapSeconds, description: 'How long the replaced token goes on working.' }),
};

/** How a token is replaced; no body at all is all defaults. */
export const rotationSchema = z
  .strictObject(rotationMembers)
  .nullish()
  .transform((given): Rotation => toRotation(given?.overlapSeconds, null))
  .meta({ id: 'Rotation', examples: [{ overlapSeconds: defaultOverlapSeconds }] });

export function toRotation(overlapSeconds: number | null | undefined, isSigned: boolean | null): Rotation {
  return { overlapSeconds: overlapSeconds ?? defaultOverlapSeconds, isSigned };
}
