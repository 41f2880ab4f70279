import { z } from 'zod';

const position = 'k3f9.1764000000000.1284';

/** The headers of answers, by the name a route's documentation calls them by. */
export const responseHeaders = {
  'X-Request-Id': z
    .string()
    .meta({ format: 'uuid', description: 'The id of this request in our logs; every answer has one.' }),
  Location: z.string().meta({
    format: 'uri-reference',
    description: 'Where the created resource is read, relative to the address of the request.',
    examples: ['widgets/019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01'],
  }),
  Link: z.string().meta({
    description:
      'The pages `first`, `prev`, `next` and `last` (RFC 8288), as references relative to this one. `prev` and `next` are left out where there is none.',
    examples: [
      '<?page=1&pageSize=50>; rel="first", <?page=2&pageSize=50>; rel="next", <?page=3&pageSize=50>; rel="last"',
    ],
  }),
  'Idempotent-Replayed': z.enum(['true']).meta({
    description: 'There when the key was used before: the widget was created then, and the body is the one of then.',
  }),
  'Webhook-Event-Id': z
    .string()
    .meta({ format: 'uuid', description: 'The id of the event; a repetition of the same hook gets the same one.' }),
  'Set-Cookie': z.string().meta({
    description: 'The session cookie `service_console`: set by signing in, cleared by signing out.',
    examples: ['service_console=…; Path=/; HttpOnly; SameSite=Lax; Secure'],
  }),
  'WWW-Authenticate': z
    .string()
    .meta({ description: 'There with `not-authenticated`.', examples: ['Bearer realm="widgets"'] }),
  'Retry-After': z.string().meta({
    pattern: '^[1-9][0-9]*$',
    description: 'Whole seconds to wait before the next try.',
    examples: ['1'],
  }),
  RateLimit: z.string().meta({
    description:
      'What is left of the limit: `r` requests, until it is full again in `t` seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    examples: ['"api";r=199;t=1'],
  }),
  'RateLimit-Policy': z.string().meta({
    description: 'The limit: `q` requests at once, full again after `w` seconds.',
    examples: ['"api";q=200;w=4'],
  }),
} as const;
export type ResponseHeaderName = keyof typeof responseHeaders;

/** Parameters that no schema validates, because code of their own reads them; by the name a route declares. */
export const requestParameters = {
  'Idempotency-Key': {
    in: 'header',
    schema: z
      .string()
      .meta({ minLength: 1, maxLength: 255, examples: ['4bf1c0f7-7f53-4f7e-8a38-2f1f0c8f9d52'] })
      .describe(
        'Makes the request safe to repeat: 1 to 255 visible ASCII characters, sent once; one pair of double quotes around them is dropped.',
      ),
  },
  'webhook-id': {
    in: 'header',
    schema: z
      .string()
      .meta({ examples: ['msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'] })
      .describe(
        'The hook’s own id (Standard Webhooks); an empty one counts as none. Within 7 days one id of an integration is one event; repeat a hook under the same id. A signed integration must send it.',
      ),
  },
  'webhook-timestamp': {
    in: 'header',
    schema: z
      .string()
      .meta({ pattern: '^[0-9]+$', examples: ['1764000000'] })
      .describe(
        'When the hook was sent, in seconds since 1970, at most five minutes off. Read where the integration is signed, and needed there.',
      ),
  },
  'webhook-signature': {
    in: 'header',
    schema: z
      .string()
      .meta({ examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] })
      .describe(
        'Space-separated signatures, `v1,` and the Base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; one that fits is enough. Read where the integration is signed, and needed there.',
      ),
  },
  'Last-Event-ID': {
    in: 'header',
    schema: z
      .string()
      .meta({ examples: [position] })
      .describe(
        'Where to go on: the `id` of the last event that was seen, or `earliest` for all that is kept. A browser sends it by itself when it reconnects.',
      ),
  },
  lastEventId: {
    in: 'query',
    schema: z
      .string()
      .meta({ examples: [position] })
      .describe(
        'The same, for clients that cannot set a header; the header counts if both are sent. Take `streamCursor` of a list to go on exactly where the list ends.',
      ),
  },
} as const;
export type RequestParameterName = keyof typeof requestParameters;
