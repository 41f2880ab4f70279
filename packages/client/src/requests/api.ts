import createOpenApiClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from '../interface.ts';

type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have the method. */
type PathsWithMethod<Method extends HttpMethod> = {
  [Path in keyof paths]: paths[Path] extends { [Name in Method]: object } ? Path : never;
}[keyof paths];

type RequiredKeysOf<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T];

/** The request of an operation is optional where the operation needs nothing. */
type InitArgument<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/** What an operation returns: its body, or undefined if it has none. */
type Body<Path extends keyof paths, Method extends HttpMethod, Init> = FetchResponse<
  Extract<paths[Path][Method & keyof paths[Path]], Record<string | number, unknown>>,
  Init,
  'application/json'
>['data'];

type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<Method>,
  Init extends MaybeOptionalInit<paths[Path], Method & keyof paths[Path]>,
>(
  path: Path,
  ...init: InitArgument<Init>
) => Promise<Exclude<Body<Path, Method, Init>, undefined>>;

/**
 * Every operation of the service, typed by its path, from the description of the service itself. Each call returns the
 * body of the response, and throws if the service refuses the request.
 */
export interface Api {
  readonly GET: Call<'get'>;
  readonly POST: Call<'post'>;
  readonly PUT: Call<'put'>;
  readonly PATCH: Call<'patch'>;
  readonly DELETE: Call<'delete'>;
}

/** Creates the typed operations on top of a fetch that throws for every refusal. */
export function createApi(baseUrl: string, fetch: (request: Request) => Promise<Response>): Api {
  const client = createOpenApiClient<paths>({ baseUrl, fetch });
  const call = (method: keyof Api) => {
    const send = client[method] as (path: string, init?: object) => Promise<{ data?: unknown }>;
    return async (path: string, init?: object) => (await send(path, init)).data;
  };
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as Api;
}
