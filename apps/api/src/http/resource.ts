import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { z } from 'zod';

/** The path of a resource. An id that is no UUID is no mistake of the request: there is no such resource. */
export const idParamsSchema = z.object({ id: z.string() });

/** Builds the error for a resource that is not there, or no longer. `what` names it: `user`. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not-found', `There is no such ${what}.`);
}

/** Returns the value. Throws `not-found` if it is null. */
export function requireFound<T>(value: T | null, what: string): T {
  if (value === null) throw notFound(what);
  return value;
}

/** Returns an id of the path, in lower case. Throws `not-found` if it is no UUID. */
export function requireId(text: string, what: string): string {
  return requireFound(parseUuid(text), what);
}

/** Reads the resource in the path. Throws `not-found` if there is none, and what the store throws. */
export async function requireById<T>(
  store: { get(id: string): Promise<T | null> },
  { id }: z.output<typeof idParamsSchema>,
  what: string,
): Promise<T> {
  return requireFound(await store.get(requireId(id, what)), what);
}
