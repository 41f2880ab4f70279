import { signInAtProvider } from './identity-provider.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** The response to the start of a sign-in, and what the browser keeps of it. */
export interface StartedSignIn {
  readonly response: TestResponse;
  /** The address at the provider. */
  readonly url: string;
  readonly cookie: string;
}

export async function startOidcSignIn(service: TestApp, returnTo?: string): Promise<StartedSignIn> {
  const query = returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`;
  const response = await service.inject({ method: 'GET', url: `/api/v1/session/oidc${query}` });
  return { response, url: String(response.headers.location), cookie: readCookies(response)[0] ?? '' };
}

/** Sends the browser from the provider back to the service. A proxy in between removes the path of the public URL. */
export function finishOidcSignIn(service: TestApp, callback: URL, cookie: string, remoteAddress = '198.51.100.7') {
  const url = `/api/v1/session/oidc/callback${callback.search}`;
  return service.inject({ method: 'GET', url, headers: { cookie }, remoteAddress });
}

/** A whole sign-in. `at` answers the callback; by default it is `service`. */
export async function signInByOidc(service: TestApp, login: string, at = service): Promise<TestResponse> {
  const { url, cookie } = await startOidcSignIn(service);
  return finishOidcSignIn(at, await signInAtProvider(url, login), cookie);
}

/** The cookies that a response sets, as the browser sends them. */
export function readCookies({ headers }: Pick<TestResponse, 'headers'>): string[] {
  return [headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';')[0] ?? '');
}

/** Returns the session that a response started, or its problem. */
export async function readSession(service: TestApp, response: TestResponse) {
  const cookie = readCookies(response).find((pair) => pair.startsWith('service_console=')) ?? '';
  return (await service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie } })).json();
}
