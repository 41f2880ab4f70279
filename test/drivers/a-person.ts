import { createPasswordHasher } from '@widget-service/shared/usecases/access/password-hasher.ts';
import { aUser } from './builders.ts';
import type { TestApp } from './test-app.ts';

/** A user with this password, and what their browser asks of the service. */
export async function aPerson(service: TestApp, password: string, from: { readonly remoteAddress?: string } = {}) {
  const user = aUser({ passwordHash: await createPasswordHasher().hash(password) });
  await service.backend.users.insert(user);
  const url = '/api/v1/session';
  const signIn = (given: string) =>
    service.inject({ method: 'POST', url, ...from, payload: { email: user.email, password: given } });
  return {
    user,
    signIn,
    /** The headers of a session that they have just begun. */
    session: async () => {
      const response = await signIn(password);
      const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
      return { cookie, 'x-csrf-token': String(response.json().csrfToken) };
    },
    show: ({ cookie }: { readonly cookie: string }) => service.inject({ method: 'GET', url, headers: { cookie } }),
  };
}

/** Asks for another password; `headers` are those of a session. */
export function changePassword(
  service: TestApp,
  headers: Readonly<Record<string, string>>,
  payload: object,
  from: { readonly remoteAddress?: string } = {},
) {
  return service.inject({ method: 'PUT', url: '/api/v1/session/password', ...from, headers, payload });
}
