import { sessionCookieName } from '../caller/cookies.ts';

const position = 'k3f9.1764000000000.1284';

/** JSON Schemas of the response headers, whose type is `string`, by the names that a route's documentation uses. */
export const responseHeaders = {
  'X-Request-Id': {
    format: 'uuid',
    description: 'The id of this request in the logs of the service. Every response has one.',
  },
  Location: {
    format: 'uri-reference',
    description:
      'With 201, the address of the created resource, relative to the address of the request. With 303, where the browser goes next.',
    examples: ['widgets/019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01'],
  },
  Link: {
    description:
      'The pages `first`, `prev`, `next` and `last` (RFC 8288), as references relative to this page. `prev` and `next` are left out if there is no such page.',
    examples: [
      '<?page=1&pageSize=50>; rel="first", <?page=2&pageSize=50>; rel="next", <?page=3&pageSize=50>; rel="last"',
    ],
  },
  'Idempotent-Replayed': {
    enum: ['true'],
    description:
      'Present if the key was used before. The widget was created by the first request, and the body is that of the first response.',
  },
  'Webhook-Event-Id': {
    format: 'uuid',
    description: 'The id of the event. A hook that the service recognises as a repetition gets the same id.',
  },
  'Set-Cookie': {
    description: `The session cookie \`${sessionCookieName}\`: signing in and changing the password set a new one, signing out clears it. Each start of a sign-in through the identity provider sets another cookie instead, \`service_sign_in_…\`, for ten minutes; the end of that sign-in clears it. With secure cookies, its name begins with \`__Host-\`.`,
    examples: [`${sessionCookieName}=…; Path=/; HttpOnly; SameSite=Lax; Secure`],
  },
  'WWW-Authenticate': { description: 'Present with `not-authenticated`.', examples: ['Bearer realm="widgets"'] },
  'Retry-After': {
    pattern: '^[1-9][0-9]*$',
    description: 'How many whole seconds to wait before the next attempt.',
    examples: ['1'],
  },
  RateLimit: {
    description:
      'The rest of the limit: `r` requests remain, and the full limit is available again in `t` seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    examples: ['"api";r=199;t=1'],
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests at once, available again after `w` seconds.',
    examples: ['"api";q=250;w=5'],
  },
} as const;
export type ResponseHeaderName = keyof typeof responseHeaders;

/**
 * What `parseIdempotencyKey` accepts, as a regular expression of every language: a key in double quotes, one that
 * begins or ends without one, or one `"` alone.
 */
export const idempotencyKeyPattern = '^(?:"[!-~]{1,255}"|[!#-~][!-~]{0,254}|"[!-~]{0,253}[!#-~]|")$';

/** The parameters that routes read with their own code instead of a schema, by the names that routes declare. */
export const requestParameters = {
  'Idempotency-Key': {
    in: 'header',
    description:
      'Makes the request safe to repeat. 1 to 255 visible ASCII characters, sent once. One pair of surrounding double quotes is dropped.',
    pattern: idempotencyKeyPattern,
    examples: ['4bf1c0f7-7f53-4f7e-8a38-2f1f0c8f9d52'],
  },
  'webhook-id': {
    in: 'header',
    description:
      'The id of the hook (Standard Webhooks). Repeat a hook with the same id: as long as the service keeps the delivery (7 days by default), all hooks of an integration with one id are one event. An empty id counts as none. Required if the integration is signed.',
    examples: ['msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'],
  },
  'webhook-timestamp': {
    in: 'header',
    description:
      'When the hook was sent, in seconds since 1970. It must be within five minutes of the time of the service. Required if the integration is signed, otherwise ignored.',
    examples: ['1764000000'],
  },
  'webhook-signature': {
    in: 'header',
    description:
      'Space-separated signatures. Each is `v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; one match is enough. Required if the integration is signed, otherwise ignored.',
    examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
  },
  'Last-Event-ID': {
    in: 'header',
    description:
      'Where to resume: the `id` of the last event that the client received, or `earliest` for all events that are kept. A browser sends this header itself when it reconnects.',
    examples: [position],
  },
  lastEventId: {
    in: 'query',
    description:
      'The same as the header `Last-Event-ID`, for clients that cannot set a header. If both are sent, the header counts. Send the `streamCursor` of a list to miss no event after it.',
    examples: [position],
  },
} as const;
export type RequestParameterName = keyof typeof requestParameters;
