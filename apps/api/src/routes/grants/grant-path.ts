import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { z } from 'zod';
import type { GrantResource } from './grant-resource.ts';

type Named = Pick<GrantResource<never>, 'words'>;

export const grantParamsSchema = z.object({ id: z.string() });

/** The id in the path. Throws `not-found` for what has not the form of one. */
export function idOf(params: z.output<typeof grantParamsSchema>, resource: Named): string {
  return found(parseUuid(params.id), resource);
}

/** What was looked for. Throws `not-found` when it is null. */
export function found<T>(value: T | null, { words }: Named): T {
  if (value === null) throw new ServiceError('not-found', `There is no such ${words.one.replace(/^an? /, '')}.`);
  return value;
}
