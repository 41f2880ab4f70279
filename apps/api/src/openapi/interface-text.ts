import type { RoutePolicy } from '../auth/policy.ts';
import { sessionCookieName } from '../auth/session-cookie.ts';

export const info = {
  title: 'Widget Service',
  version: '1',
  summary: 'Widgets over HTTP, hooks in, server-sent events out.',
  description: `
List and create widgets, stream what happens to them, and let outside systems post what they know of them.

**Signing in** sets the session cookie \`${sessionCookieName}\`, which a script can neither read nor set. Whatever changes something by cookie also needs the header \`X-Csrf-Token\`, with the \`csrfToken\` that signing in returned.

**Tokens** for streams, hooks and provisioning are shown once, when they are issued. The address of a stream or a hook holds one: keep the whole address secret.

**Refusals** are \`application/problem+json\` (RFC 9457). \`code\` tells the kind to programs, \`type\` leads to a page that explains it. A permanent refusal is 400, 403, 404 or 409: the same request is refused again. A temporary one is 429 or 503, with \`Retry-After\`. A known path answers another method with 405 and \`Allow\`; 500 is a fault of the service.

**Ids** are UUIDs, accepted in either case. **Times** are RFC 3339 in UTC, answered with milliseconds.

**Versions**: new members, parameters, operations and codes may come at any time within this version; ignore what you do not know.
`.trim(),
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

export const securitySchemes = {
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: 'Set by signing in, and sent by the browser on its own; a script cannot set it.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Csrf-Token',
    description: 'The `csrfToken` that signing in returned; reading the session returns it again.',
  },
  provisionToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A provision token (`wpt_…`), which stands for the permission to create widgets. It counts before a cookie.',
  },
} as const;

/** The groups of operations, by the first part of the path that tells them apart. */
const tagRules: readonly (readonly [RegExp, string, string])[] = [
  [/\/deliveries/, 'Deliveries', 'What became of each accepted hook.'],
  [/^\/api\/v1\/widgets/, 'Widgets', 'List, read and create widgets.'],
  [
    /^\/api\/v1\/events/,
    'Events',
    'Stream events out, take hooks in. The token in the address is the only credential.',
  ],
  [/^\/api\/v1\/sessions?(\/|$)/, 'Session', 'Sign in and out.'],
  [/^\/api\/v1\/subscriptions/, 'Subscriptions', 'The right to stream events.'],
  [/^\/api\/v1\/integrations/, 'Integrations', 'The right to post hooks.'],
  [/^\/api\/v1\/provision-tokens/, 'Provision tokens', 'The right to create widgets without signing in.'],
  [/^\/api\/v1\/users/, 'Users', 'The people who may sign in.'],
];

export function findTag(path: string): string {
  const rule = tagRules.find(([pattern]) => pattern.test(path));
  if (rule === undefined) throw new Error(`${path} belongs to no group of the interface's description`);
  return rule[1];
}

/** The groups that are in use, in the order of reading. */
export function listTags(paths: readonly string[]): readonly { name: string; description: string }[] {
  const used = new Set(paths.map(findTag));
  const order = ['Widgets', 'Events', 'Session'];
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return tagRules
    .filter(([, name]) => used.has(name))
    .map(([, name, description]) => ({ name, description }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** For path parameters that their route says nothing of. */
export const pathParameterTexts: Readonly<Record<string, string>> = {
  token: 'The secret token, which is the only credential.',
  id: 'The id, a UUID.',
  eventId: 'The id of the event, a UUID.',
};

export function permissionText(policy: RoutePolicy): string | null {
  if (policy === 'public' || policy === 'hook-token' || policy === 'own-origin') return null;
  return policy === 'signed-in' ? 'For whoever is signed in.' : `Needs the permission \`${policy.permission}\`.`;
}
