import createOpenApiClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import { answers } from '../answers.ts';
import type { paths } from '../interface.ts';
import { InvalidCallError } from './failures.ts';
import type { Answer } from './send.ts';

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

/**
 * Creates the typed operations on top of a fetch that throws for every refusal, and for every response that is not the
 * answer which it is told to expect.
 */
export function createApi(baseUrl: string, fetch: (request: Request, answer?: Answer) => Promise<Response>): Api {
  const client = createOpenApiClient<paths>({ baseUrl });
  const call = (method: keyof Api) => {
    const send = client[method] as (path: string, init?: object) => Promise<{ data?: unknown }>;
    return async (path: string, init?: object) => {
      let isValid = false;
      const fetchAnswer = (request: Request) => {
        isValid = true;
        return fetch(request, answers[`${method} ${path}`]);
      };
      try {
        return (await send(path, { ...init, fetch: fetchAnswer })).data;
      } catch (cause) {
        if (isValid) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new InvalidCallError(`${method} ${path} cannot be sent as it is: ${reason}`, { cause });
      }
    };
  };
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
  } as Api;
}
