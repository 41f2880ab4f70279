// Runs in the browser, in the page at /docs. All addresses are relative to the page, so it works under any path prefix.

const { SwaggerUIBundle } = globalThis;

const sessionUrl = new URL('api/v1/session', document.baseURI).href;
const allSessionsUrl = new URL('api/v1/sessions', document.baseURI).href;
/** A new password starts a new session. */
const passwordUrl = new URL('api/v1/session/password', document.baseURI).href;
const streamPath = '/api/v1/events/{token}';
/** Records only that this tab started a session. The session itself is in a cookie that scripts cannot read. */
const signedInHintKey = 'widget-service:signed-in';

/** A browser that blocks the data of sites throws at every use. Then the page asks for the session at each load. */
function useHint(use) {
  try {
    return use(sessionStorage);
  } catch {
    return 'not known';
  }
}

/** Whether the page is being left for the identity provider. A late answer must not remove the hint then. */
let isLeaving = false;

/** The CSRF token of the session. It is kept only in the memory of this page. */
let csrfToken = null;

/** Swagger UI, and the OpenAPI document that it shows. Null until both are loaded. */
let ui = null;
let description = null;

const form = document.getElementById('sign-in');
const signedIn = document.getElementById('signed-in');
const userLabel = document.getElementById('who');
const message = document.getElementById('message');

function showSession(session) {
  csrfToken = session.csrfToken;
  useHint((storage) => storage.setItem(signedInHintKey, 'yes'));
  userLabel.textContent = `${session.user.email} (${session.user.role})`;
  message.textContent = '';
  form.hidden = true;
  signedIn.hidden = false;
}

function showNoSession(text = '') {
  csrfToken = null;
  if (!isLeaving) useHint((storage) => storage.removeItem(signedInHintKey));
  message.textContent = text;
  form.hidden = false;
  signedIn.hidden = true;
}

/** Removes the requests and responses that were tried: they belong to the user who has signed out. */
function clearTriedOperations() {
  for (const [path, operations] of Object.entries(description?.paths ?? {})) {
    for (const method of Object.keys(operations)) {
      ui?.specActions.clearRequest(path, method);
      ui?.specActions.clearResponse(path, method);
    }
  }
}

/** Sends a request to the session resource. If the service is unreachable, shows a message and returns null. */
async function requestSession(method, headers, body) {
  try {
    return await fetch(sessionUrl, { method, headers, body, credentials: 'same-origin' });
  } catch {
    message.textContent = 'The service does not answer. Try again shortly.';
    return null;
  }
}

async function readErrorText(response) {
  const problem = await response.json().catch(() => null);
  return problem?.detail ?? `The service answered ${response.status}.`;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ email: form.elements.email.value, password: form.elements.password.value });
  form.elements.password.value = '';
  const response = await requestSession('POST', { 'Content-Type': 'application/json' }, body);
  if (response === null) return;
  if (response.ok) showSession(await response.json());
  else showNoSession(await readErrorText(response));
});

// The browser comes back to this page with a session. The link exists only if there is an identity provider.
document.getElementById('sign-in-by-identity')?.addEventListener('click', ({ currentTarget }) => {
  const start = new URL(currentTarget.href);
  start.searchParams.set('returnTo', location.pathname + location.hash);
  currentTarget.href = start.href;
  isLeaving = true;
  useHint((storage) => storage.setItem(signedInHintKey, 'yes'));
});

document.getElementById('sign-out').addEventListener('click', async () => {
  const response = await requestSession('DELETE', { 'X-Csrf-Token': csrfToken });
  if (response === null) return;
  showNoSession(response.ok ? 'Signed out.' : await readErrorText(response));
  if (response.ok) clearTriedOperations();
});

/** Gets the CSRF token again after a reload: the cookie still exists. */
async function recallSession() {
  if (useHint((storage) => storage.getItem(signedInHintKey)) === null) return;
  const response = await requestSession('GET', {});
  if (response === null) return;
  if (response.ok) showSession(await response.json());
  else showNoSession();
}

/** Updates the page after an operation of Swagger UI that started or ended a session. */
function syncWithResponse(response) {
  if (![sessionUrl, allSessionsUrl, passwordUrl].includes(response.url) || !response.ok) return response;
  if (typeof response.body?.csrfToken === 'string') showSession(response.body);
  else if (response.status === 204) {
    showNoSession('Signed out.');
    clearTriedOperations();
  }
  return response;
}

function addCsrfToken(request) {
  const isReading = ['GET', 'HEAD'].includes((request.method ?? 'GET').toUpperCase());
  if (!isReading && csrfToken !== null) request.headers['X-Csrf-Token'] ??= csrfToken;
  return request;
}

/** Disables "Try it out" for the stream: Swagger UI waits for the end of a response, and a stream has none. */
const disableStreamTryout = {
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: (original) => (state, path, method) => path !== streamPath && original(state, path, method),
      },
    },
  },
};

/** Loads the OpenAPI document, with this page's own address as its server: the page may send requests to no other. */
async function loadDescription() {
  const response = await fetch(new URL('api/v1/openapi.json', document.baseURI));
  const loaded = await response.json();
  return { ...loaded, servers: [{ url: new URL('.', document.baseURI).href.replace(/\/$/, '') }] };
}

description = await loadDescription();
ui = SwaggerUIBundle({
  spec: description,
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  withCredentials: true,
  showMutatedRequest: true,
  plugins: [disableStreamTryout],
  requestInterceptor: addCsrfToken,
  responseInterceptor: syncWithResponse,
});
await recallSession();

// If there is no console, the service redirects here after a sign-in that failed.
const failure = new URLSearchParams(location.search).get('signInFailed') ?? '';
if (/^[a-z-]{1,40}$/.test(failure) && csrfToken === null) message.textContent = `You are not signed in: ${failure}.`;
