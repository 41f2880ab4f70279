import { sessionCookieName } from '../caller/cookies.ts';
import type { RoutePolicy } from '../caller/enforce-policy.ts';

export const info = {
  title: 'Widget Service',
  version: '1',
  summary: 'Widgets over HTTP, hooks in, server-sent events out.',
  description: `
List and create widgets, stream their events, and let outside systems post events about them.

**Signing in** sets the session cookie \`${sessionCookieName}\`, which a script in a page can neither read nor send itself. A request that is authenticated by this cookie and changes something also needs the header \`X-Csrf-Token\`, with the \`csrfToken\` from the sign-in response.

**Tokens** for streams, hooks and provisioning are shown once, when they are issued. The address of a stream or a hook contains its token: keep the whole address secret.

**Errors** are \`application/problem+json\` (RFC 9457). \`code\` names the kind of problem for programs; \`type\` is the address of a page that explains it. A permanent error is 400, 403, 404 or 409: the same request fails again. The one exception is \`request-timeout\` (400): the request arrived too slowly, so send it again. (A delivery is 404 until a worker has registered it.) A temporary error is 429 or 503, with \`Retry-After\`. A known path with an unsupported method gives 405 with \`Allow\`. 500 is a fault of the service.

**Ids** are UUIDs, accepted in either case. **Times** are RFC 3339 in UTC. Responses have milliseconds; a time that a sender wrote is returned as it was sent.

**Versions**: this version may get new members, parameters, operations and codes at any time. Ignore those that you do not know.
`.trim(),
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

export const securitySchemes = {
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description:
      'Signing in sets this cookie, and the browser sends it automatically. A script in a page cannot send it itself.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Csrf-Token',
    description: 'The `csrfToken` from the sign-in response. Getting the session returns it again.',
  },
  provisionToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A provision token (`wpt_…`), which grants the permission to create widgets. If a cookie is sent too, the token decides.',
  },
} as const;

/** The tags of the operations: pattern of the path, name, description. The first pattern that matches decides. */
const tagRules: readonly (readonly [RegExp, string, string])[] = [
  [
    /\/(deliveries|refusals|hook-counts|quarantine)/,
    'Deliveries',
    'The state of each accepted hook, the recent refusals, how many hooks came, and quarantined texts of the queue.',
  ],
  [/^\/api\/v1\/widgets/, 'Widgets', 'List, read and create widgets.'],
  [
    /^\/api\/v1\/events/,
    'Events',
    'Stream events, and receive hooks. The token in the address identifies the caller: no session is needed.',
  ],
  [/^\/api\/v1\/sessions?(\/|$)/, 'Session', 'Sign in and out, and see where you are signed in.'],
  [/^\/api\/v1\/subscriptions/, 'Subscriptions', 'Grants to stream events.'],
  [/^\/api\/v1\/integrations/, 'Integrations', 'Grants to post hooks.'],
  [/^\/api\/v1\/provision-tokens/, 'Provision tokens', 'Grants to create widgets without signing in.'],
  [/^\/api\/v1\/users/, 'Users', 'The people who may sign in.'],
  [/^\/api\/v1\/overview/, 'Overview', 'The state of the whole service, for people who look after it.'],
  [/^\/api\/v1\/audit-events/, 'Audit', 'Who did what, from where, and with which outcome.'],
];

/** Returns the name of the tag of a path. Throws an `Error` if no pattern matches. */
export function findTag(path: string): string {
  const rule = tagRules.find(([pattern]) => pattern.test(path));
  if (rule === undefined) throw new Error(`${path} matches no tag of the OpenAPI document: add a pattern to tagRules`);
  return rule[1];
}

/** Returns the tags of these paths in the order of the document. Throws an `Error` if a path has no tag. */
export function listTags(paths: readonly string[]): readonly { name: string; description: string }[] {
  const used = new Set(paths.map(findTag));
  const order = ['Widgets', 'Events', 'Session'];
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return tagRules
    .filter(([, name]) => used.has(name))
    .map(([, name, description]) => ({ name, description }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** The descriptions of path parameters whose route has none. */
export const pathParameterTexts: Readonly<Record<string, string>> = {
  token: 'The secret token. It identifies the caller: no session is needed.',
  id: 'The id of the resource, a UUID.',
  eventId: 'The id of the event, a UUID.',
  sessionId: 'The id of the session, a UUID.',
  connectionId: 'The id of the stream, a UUID.',
};

/** Returns a text that says which callers the policy allows. Null if it requires neither a session nor a permission. */
export function describePermission(policy: RoutePolicy): string | null {
  if (policy === 'public' || policy === 'hook-token' || policy === 'own-origin') return null;
  return policy === 'signed-in' ? 'For every signed-in user.' : `Needs the permission \`${policy.permission}\`.`;
}
