import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createCreateFirstAdmin } from '@widget-service/shared/usecases/access/create-first-admin.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/hash-password.ts';

export interface FirstAdminDeps {
  readonly settings: Pick<Settings, 'ADMIN_EMAIL' | 'ADMIN_PASSWORD'>;
  readonly backend: Pick<Backend, 'kind' | 'users'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes the first admin while there is no user. Null when there was nothing to make: the admin is there, or the
 * cluster was not told whom to make (its password is never made up: nobody would see it).
 */
export async function ensureFirstAdmin({ settings, backend, clock, logger }: FirstAdminDeps) {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = settings;
  if (email === null || (password === null && backend.kind === 'cluster')) {
    logger.info('no first admin is configured: set ADMIN_EMAIL and ADMIN_PASSWORD if there is no user yet');
    return null;
  }
  const createFirstAdmin = createCreateFirstAdmin({ users: backend.users, passwords: createPasswordHasher(), clock });
  const outcome = await createFirstAdmin(email, password);
  if (outcome.status === 'not-needed') return null;
  logger.info({ email: outcome.email }, 'first admin made');
  return outcome;
}
