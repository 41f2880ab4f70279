import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RoleMapping } from '@widget-service/shared/domain/role.ts';
import { type Context, Provider } from 'oidc-provider';
import { listenLocally } from '../tools/local-server.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** The claims of a person. `sub` is the login. */
export interface PersonClaims {
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly roles?: unknown;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A real OpenID Connect provider (the package oidc-provider) on loopback. Its login form asks for no password. */
export interface TestIdentityProvider {
  /** Those of a service that is its client. */
  readonly settings: {
    readonly OIDC_ISSUER_URL: string;
    readonly OIDC_CLIENT_ID: string;
    readonly OIDC_CLIENT_SECRET: string;
    readonly OIDC_ROLE_MAPPING: RoleMapping;
    readonly PUBLIC_BASE_URL: string;
  };
  /** Adds a person, or changes the claims that the next sign-in of this person gets. */
  setPerson(login: string, claims: PersonClaims): void;
  /** Paths of all requests so far. */
  readonly requests: readonly string[];
  /** Answers every request instead of the provider, until it is set to null. */
  interfere: RequestHandler | null;
  /** Lets the provider answer a request that `interfere` got. */
  readonly passOn: RequestHandler;
  close(): Promise<void>;
}

const clientId = 'widget-service';
const interactionPath = '/interaction/';
const loginPage = `<!doctype html><title>Provider</title>
<form method="post"><label>Login <input name="login"></label><button>Sign in</button></form>`;

const testRoleMapping: RoleMapping = new Map([
  ['staff', 'viewer'],
  ['makers', 'editor'],
  ['owners', 'admin'],
] as const);

/** `publicBaseUrls` are those of the services that are its clients. `settings` are for the first one. */
export async function startIdentityProvider(...publicBaseUrls: [string, ...string[]]): Promise<TestIdentityProvider> {
  const requests: string[] = [];
  const { url: issuerUrl, close } = await listenLocally((request, response) => {
    requests.push(request.url?.split('?')[0] ?? '');
    (driver.interfere ?? passOn)(request, response);
  });
  const clientSecret = randomBytes(24).toString('base64url');
  const people = new Map<string, PersonClaims>();
  const redirectUris = publicBaseUrls.map((url) => `${url}/api/v1/session/oidc/callback`);
  const provider = createProvider(issuerUrl, people, { clientSecret, redirectUris });
  const handleByProtocol = provider.callback();
  const passOn: RequestHandler = (request, response) => {
    if (request.url?.startsWith(interactionPath)) void handleLogin(provider, request, response);
    else handleByProtocol(request, response);
  };
  const driver: TestIdentityProvider = {
    settings: {
      OIDC_ISSUER_URL: issuerUrl,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_ROLE_MAPPING: testRoleMapping,
      PUBLIC_BASE_URL: publicBaseUrls[0],
    },
    setPerson: (login, claims) => void people.set(login, claims),
    requests,
    interfere: null,
    passOn,
    close,
  };
  return driver;
}

async function handleLogin(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(loginPage);
    return;
  }
  const login = new URLSearchParams(await text(request)).get('login') ?? '';
  const result =
    login === '' ? { error: 'access_denied', error_description: 'cancelled' } : { login: { accountId: login } };
  await provider.interactionFinished(request, response, result);
}

interface ClientOptions {
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

function createProvider(issuer: string, people: ReadonlyMap<string, PersonClaims>, client: ClientOptions): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: client.clientSecret,
        redirect_uris: client.redirectUris,
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    // As common providers do: the claims of the scopes stand in the ID token.
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'roles'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `${interactionPath}${uid}` },
    findAccount: (_: unknown, login: string) => {
      const claims = people.get(login);
      return claims === undefined ? undefined : { accountId: login, claims: () => ({ sub: login, ...claims }) };
    },
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  return provider;
}

/**
 * What a browser does at the provider: follows `startUrl`, signs in as `login` (empty: cancels), and returns the
 * address to which the provider redirects it at last.
 */
export async function signInAtProvider(startUrl: string, login: string): Promise<URL> {
  const { origin } = new URL(startUrl);
  const cookies = new Map<string, string>();
  let next = { url: new URL(startUrl), init: {} as RequestInit };
  for (let redirects = 0; redirects < 8; redirects += 1) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(next.url, { ...next.init, headers: { cookie }, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    const url = new URL(location, next.url);
    if (url.origin !== origin) return url;
    const isLogin = url.pathname.startsWith(interactionPath);
    next = { url, init: isLogin ? { method: 'POST', body: new URLSearchParams({ login }) } : {} };
  }
  throw new Error('the provider redirects too often');
}

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
