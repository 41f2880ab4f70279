import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { HookSource } from '@widget-service/shared/domain/hook-source.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Integration, IntegrationStore } from '@widget-service/shared/ports/grant-store.ts';

/** An integration of a foreign sender. */
export type SourceIntegration = Integration & { readonly source: HookSource };

/**
 * Returns the integration of this id. Throws `not-found` if there is none, or it has no source, and `UnavailableError`.
 */
export async function requireSource(
  { id }: { readonly id: string },
  integrations: Pick<IntegrationStore, 'get'>,
): Promise<SourceIntegration> {
  const parsed = parseUuid(id);
  const integration = requireIntegration(parsed === null ? null : await integrations.get(parsed));
  const { source } = integration;
  if (source === null) throw new ServiceError('not-found', 'This integration has no source.');
  return { ...integration, source };
}

/** Throws `not-found` if there is no integration. */
export function requireIntegration(integration: Integration | null): Integration {
  if (integration === null) throw new ServiceError('not-found', 'There is no such integration.');
  return integration;
}
