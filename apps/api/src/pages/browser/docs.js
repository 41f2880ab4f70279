// Runs in the browser, in the page at /docs. Its addresses are relative to the page's, like all of the page's own.

const { SwaggerUIBundle } = globalThis;

const sessionUrl = new URL('api/v1/session', document.baseURI).href;
const streamPath = '/api/v1/events/{token}';
/** Says no more than that a session was begun in this tab; the session itself is in a cookie that no script can read. */
const hintName = 'widget-service:signed-in';

/** The session's CSRF token, kept by this page alone. */
let csrfToken = null;

const form = document.getElementById('sign-in');
const signedIn = document.getElementById('signed-in');
const who = document.getElementById('who');
const message = document.getElementById('message');

function showSession(session) {
  csrfToken = session.csrfToken;
  sessionStorage.setItem(hintName, 'yes');
  who.textContent = `${session.user.email} (${session.user.role})`;
  message.textContent = '';
  form.hidden = true;
  signedIn.hidden = false;
}

function showNoSession(text = '') {
  csrfToken = null;
  sessionStorage.removeItem(hintName);
  message.textContent = text;
  form.hidden = false;
  signedIn.hidden = true;
}

/** The answer of a request for the session; null when the service cannot be reached. */
async function ask(method, headers, body) {
  try {
    return await fetch(sessionUrl, { method, headers, body, credentials: 'same-origin' });
  } catch {
    message.textContent = 'The service does not answer. Try again shortly.';
    return null;
  }
}

async function reasonOf(response) {
  const problem = await response.json().catch(() => null);
  return problem?.detail ?? `The service answered ${response.status}.`;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ email: form.elements.email.value, password: form.elements.password.value });
  form.elements.password.value = '';
  const response = await ask('POST', { 'Content-Type': 'application/json' }, body);
  if (response === null) return;
  if (response.ok) showSession(await response.json());
  else showNoSession(await reasonOf(response));
});

document.getElementById('sign-out').addEventListener('click', async () => {
  const response = await ask('DELETE', { 'X-Csrf-Token': csrfToken });
  if (response === null) return;
  showNoSession(response.ok ? 'Signed out.' : await reasonOf(response));
});

/** After a reload the token is asked for again: the cookie is still there. */
async function recallSession() {
  if (sessionStorage.getItem(hintName) === null) return;
  const response = await ask('GET', {});
  if (response === null) return;
  if (response.ok) showSession(await response.json());
  else showNoSession();
}

/** Whoever signs in and out by the operations themselves is signed in and out here too. */
function follow(response) {
  if (response.url !== sessionUrl || !response.ok) return response;
  if (typeof response.body?.csrfToken === 'string') showSession(response.body);
  else if (response.status === 204) showNoSession('Signed out.');
  return response;
}

function addCsrfToken(request) {
  const isReading = ['GET', 'HEAD'].includes((request.method ?? 'GET').toUpperCase());
  if (!isReading && csrfToken !== null) request.headers['X-Csrf-Token'] ??= csrfToken;
  return request;
}

/** A stream never ends, and the page would wait for its end: it is described, but not tried. */
const withoutStream = {
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: (original) => (state, path, method) => path !== streamPath && original(state, path, method),
      },
    },
  },
};

/** The description, with the address that this page itself was found under: no other may be asked from here. */
async function describe() {
  const response = await fetch(new URL('api/v1/openapi.json', document.baseURI));
  const description = await response.json();
  return { ...description, servers: [{ url: new URL('.', document.baseURI).href.replace(/\/$/, '') }] };
}

SwaggerUIBundle({
  spec: await describe(),
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  withCredentials: true,
  showMutatedRequest: true,
  plugins: [withoutStream],
  requestInterceptor: addCsrfToken,
  responseInterceptor: follow,
});
await recallSession();
