/** A signed-in user: sends every request with the session cookie and the CSRF token. */
export interface ConsoleClient {
  /** `service_console=<session id>`. */
  readonly cookie: string;
  readonly csrfToken: string;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Returns a client of the same session on another pod. */
  on(baseUrl: string): ConsoleClient;
  /** Changes the password. Returns a client of the session that the change has started. */
  changePassword(currentPassword: string, newPassword: string): Promise<ConsoleClient>;
  createSubscription(name: string): Promise<{ id: string; token: string; url: string }>;
  createIntegration(name: string): Promise<{ id: string; token: string; url: string }>;
  createProvisionToken(name: string): Promise<{ id: string; token: string }>;
  createWidget(body: object, headers?: Record<string, string>): Promise<Response>;
}

export const testAdmin = { email: 'admin@localhost', password: 'correct horse battery' } as const;

/** Signs in over HTTP. Throws unless the service answers 200. */
export async function signIn(
  baseUrl: string,
  credentials: { email: string; password: string } = testAdmin,
): Promise<ConsoleClient> {
  const response = await fetch(`${baseUrl}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  return readClient(baseUrl, response);
}

/** Returns a client of the session that a response has started. */
async function readClient(baseUrl: string, response: Response): Promise<ConsoleClient> {
  if (response.status !== 200) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  const cookie = (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  return createClient(baseUrl, cookie, csrfToken);
}

function createClient(baseUrl: string, cookie: string, csrfToken: string): ConsoleClient {
  const request: ConsoleClient['request'] = (method, path, body, headers = {}) =>
    fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        cookie,
        'x-csrf-token': csrfToken,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const issue = async (path: string, name: string) => {
    const response = await request('POST', path, { name });
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string; token: string; url: string };
  };
  return {
    cookie,
    csrfToken,
    request,
    on: (other) => createClient(other, cookie, csrfToken),
    changePassword: async (currentPassword, newPassword) => {
      const response = await request('PUT', '/api/v1/session/password', { currentPassword, newPassword });
      return readClient(baseUrl, response);
    },
    createSubscription: (name) => issue('/api/v1/subscriptions', name),
    createIntegration: (name) => issue('/api/v1/integrations', name),
    createProvisionToken: (name) => issue('/api/v1/provision-tokens', name),
    createWidget: (body, headers) => request('POST', '/api/v1/widgets', body, headers),
  };
}

/** Creates `count` widgets at once over HTTP and returns their ids. Each widget has one of five labels. */
export async function createWidgets(client: ConsoleClient, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await client.createWidget({ name: `widget ${index}`, labels: [`line-${index % 5}`] });
      if (response.status !== 201) throw new Error(`create answered ${response.status}: ${await response.text()}`);
      return ((await response.json()) as { id: string }).id;
    }),
  );
}
