import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';

type NamedResource = Pick<GrantResource<never>, 'nouns'>;

/** The parameters of the path of one grant. */
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
