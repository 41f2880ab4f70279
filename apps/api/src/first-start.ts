import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { makeCreateFirstAdmin } from '@widget-service/shared/usecases/access/manage-users.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/password-hasher.ts';

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
  const createFirstAdmin = makeCreateFirstAdmin({ users: backend.users, passwords: createPasswordHasher(), clock });
  const outcome = await createFirstAdmin(email, password);
  if (outcome.status === 'not-needed') return null;
  logger.info({ email: outcome.email }, 'first admin made');
  return outcome;
}

/** What the embedded service prints when it has started: where it is and, the first time, how to try it. */
export interface FirstMinute {
  readonly url: string;
  readonly opsUrl: string;
  readonly email: string;
  /** Null when the admin is there already: the password was shown once. */
  readonly password: string | null;
}

/** The first admin's credentials, for a person at a terminal. */
export function describeFirstAdmin(email: string, password: string): string {
  return `
First admin, shown only this once:
  e-mail    ${email}
  password  ${password}
`;
}

/** Lines for a person at a terminal; the commands can be pasted as they are. */
export function describeFirstMinute({ url, opsUrl, email, password }: FirstMinute): string {
  const head = `\nWidget Service is at ${url} (in a browser: ${url}/docs; operators: ${opsUrl})\n`;
  if (password === null) return `${head}\n`;
  const json = "-H 'content-type: application/json'";
  const signedIn = '-b cookies -H "x-csrf-token: $CSRF"';
  // An address may have an apostrophe, which would end the quotes around it.
  const credentials = JSON.stringify({ email, password }).replaceAll("'", "'\\''");
  const member = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;
  return `${head}${describeFirstAdmin(email, password)}
Try it in another terminal; paste line by line or all at once:

URL=${url}
CSRF=$(curl -s -c cookies ${json} -d '${credentials}' $URL/api/v1/session | ${member('csrfToken')})
STREAM=$(curl -s ${signedIn} ${json} -d '{"name":"my screen"}' $URL/api/v1/subscriptions | ${member('url')})
HOOK=$(curl -s ${signedIn} ${json} -d '{"name":"my sender"}' $URL/api/v1/integrations | ${member('url')})
curl -sN $STREAM &
sleep 1
WIDGET=$(curl -s ${signedIn} ${json} -d '{"name":"lamp","labels":["hall"]}' $URL/api/v1/widgets | sed 's/^{"id":"\\([^"]*\\)".*/\\1/')
curl -si ${json} -d "{\\"kind\\":\\"updated\\",\\"occurredAt\\":\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",\\"widgetId\\":\\"$WIDGET\\"}" $HOOK
curl -s -b cookies $URL/api/v1/widgets

The stream goes on in the background: kill %1 ends it.
`;
}
