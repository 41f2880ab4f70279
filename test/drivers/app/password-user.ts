import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { aUser } from './builders.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** Stores a user with this password. Returns the user and the requests that their browser sends. */
export async function createPasswordUser(
  service: TestApp,
  password: string,
  from: { readonly remoteAddress?: string } = {},
) {
  const user = aUser({ passwordHash: await new PasswordHasher().hash(password) });
  await service.backend.users.insert(user);
  const url = '/api/v1/session';
  const signIn = (sentPassword: string) =>
    service.inject({ method: 'POST', url, ...from, payload: { email: user.email, password: sentPassword } });
  return {
    user,
    signIn,
    /** Signs in. Returns the headers of the new session. */
    startSession: async () => toSessionHeaders(await signIn(password)),
    getSession: ({ cookie }: { readonly cookie: string }) =>
      service.inject({ method: 'GET', url, headers: { cookie } }),
  };
}

/** Returns the headers of the session that a response started. */
export function toSessionHeaders(response: TestResponse): { cookie: string; 'x-csrf-token': string } {
  const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': String(response.json().csrfToken) };
}

/** Sends a change of the own password. `headers` are those of a session. */
export function changePassword(
  service: TestApp,
  headers: Readonly<Record<string, string>>,
  payload: object,
  from: { readonly remoteAddress?: string } = {},
) {
  return service.inject({ method: 'PUT', url: '/api/v1/session/password', ...from, headers, payload });
}
