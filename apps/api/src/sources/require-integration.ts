import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { HookSource } from '@widget-service/shared/entities/hook-source.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';

/** An integration of a foreign sender. */
export type SourceIntegration = Integration & { readonly source: HookSource };

/** Returns the integration in the path. Throws `not-found` if there is none, and `UnavailableError`. */
export async function requireIntegration(
  { id }: { readonly id: string },
  integrations: Pick<Collection<Integration>, 'get'>,
): Promise<Integration> {
  const parsed = parseUuid(id);
  const integration = parsed === null ? null : await integrations.get(parsed);
  if (integration === null) throw unknownIntegrationError();
  return integration;
}

/** The same for an integration with a source. Throws `not-found` also if it has none. */
export async function requireSource(
  params: { readonly id: string },
  integrations: Pick<Collection<Integration>, 'get'>,
): Promise<SourceIntegration> {
  const { source, ...integration } = await requireIntegration(params, integrations);
  if (source === null) throw new ServiceError('not-found', 'This integration has no source.');
  return { ...integration, source };
}

/** Builds the error for an integration that is not there, or no longer. */
export function unknownIntegrationError(): ServiceError {
  return new ServiceError('not-found', 'There is no such integration.');
}
