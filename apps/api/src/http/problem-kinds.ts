import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Told when the refusal brings no text of its own. */
  readonly detail: string;
  /** What the person who meets it should do: the text of the problem's own page. */
  readonly remedy: string;
}

/** The one table: no handler picks a status for a failure. */
export const problemKinds: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request is not valid; "errors" names what is wrong.',
    remedy:
      'Correct what "errors" names, up to 20 mistakes at once: each has a code and its place, which is a "pointer" into the body, a query "parameter" or a "header". The same request will be refused again.',
  },
  'invalid-json': {
    status: 400,
    title: 'Invalid JSON',
    detail: 'The body is not valid JSON.',
    remedy:
      'Send one JSON value in UTF-8, nested at most 32 deep, without lone surrogates and without member names that reach a prototype, like "__proto__".',
  },
  'unsupported-media-type': {
    status: 400,
    title: 'Unsupported media type',
    detail: 'The body must be sent as application/json, without a content encoding.',
    remedy: 'Send the header "Content-Type: application/json", and the body uncompressed.',
  },
  'payload-too-large': {
    status: 400,
    title: 'Payload too large',
    detail: 'The body is larger than is accepted.',
    remedy: 'Send less: a body may have 64 KiB unless the operator of the service has set another limit.',
  },
  'invalid-idempotency-key': {
    status: 400,
    title: 'Invalid idempotency key',
    detail: 'Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters.',
    remedy: 'Send one key without spaces or control characters; a UUID made for this one request is a good choice.',
  },
  'idempotency-key-reused': {
    status: 409,
    title: 'Idempotency key reused',
    detail: 'This idempotency key was used before, with another body.',
    remedy:
      'A key stands for one request. Repeat it only with the body of the first time; for another widget make another key.',
  },
  'not-authenticated': {
    status: 403,
    title: 'Not authenticated',
    detail: 'Sign in first.',
    remedy:
      'Sign in and send the session cookie, exactly one. To create widgets without signing in, send a provision token as "Authorization: Bearer …". A session ends when it is idle for long, at the end of its lifetime, and when its user is disabled.',
  },
  'invalid-credentials': {
    status: 403,
    title: 'Invalid credentials',
    detail: 'E-mail or password is wrong.',
    remedy:
      'Check both. The answer is the same for an unknown address, a wrong password and a disabled user; an admin can set a new password.',
  },
  'permission-denied': {
    status: 403,
    title: 'Permission denied',
    detail: 'You are signed in, but do not have the permission that this needs.',
    remedy: 'Ask an admin for a role that has the permission named in "detail": viewer, editor or admin.',
  },
  'csrf-token-invalid': {
    status: 403,
    title: 'CSRF token invalid',
    detail: "The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.",
    remedy:
      'Send the csrfToken that signing in returned (reading the session returns it again) in the header X-Csrf-Token, from a page of the service itself.',
  },
  'stream-not-found': {
    status: 404,
    title: 'Stream not found',
    detail: 'There is no stream at this address.',
    remedy:
      'The token in the address is unknown, expired or revoked; which of them is not told. Do not try again with it: get a new address from whoever manages the subscriptions.',
  },
  'invalid-hook-token': {
    status: 400,
    title: 'Invalid hook token',
    detail: 'This address takes no hooks.',
    remedy:
      'The token in the address is unknown, expired or revoked; which of them is not told. Do not try again with it: get a new address from whoever manages the integrations.',
  },
  'invalid-hook-signature': {
    status: 400,
    title: 'Invalid hook signature',
    detail: 'The signature headers are missing, too old or do not match the body.',
    remedy:
      'Sign "<webhook-id>.<webhook-timestamp>.<body>" as Standard Webhooks describes, over the very bytes that are sent, with the integration\'s current signing secret and a clock that is right within five minutes.',
  },
  'email-in-use': {
    status: 409,
    title: 'E-mail in use',
    detail: 'Another user has this e-mail address.',
    remedy: 'Choose another address, or change the user who has it. Upper and lower case make no difference.',
  },
  'last-admin': {
    status: 409,
    title: 'Last admin',
    detail: 'This would leave the service without an admin who can sign in.',
    remedy: 'Make another user an admin first.',
  },
  'delivery-not-dead': {
    status: 409,
    title: 'Delivery not dead',
    detail: 'Only a delivery that was given up can be processed again.',
    remedy: 'Nothing needs doing: the delivery is published, or still on its way. Read it to see its state.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    detail: 'There is nothing at this address.',
    remedy: 'Check the path and the id in it: it may be wrong, or what it named was deleted.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address has no such method; "Allow" lists those it has.',
    remedy: 'Use one of the methods in the header Allow.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    detail: 'Wait before the next request.',
    remedy:
      'Wait as many seconds as the header Retry-After says and send the same request again. Nothing was done yet. The headers RateLimit and RateLimit-Policy tell how much is left and how much there is.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    detail: 'The service cannot do this right now. Try again shortly.',
    remedy:
      'Wait as many seconds as the header Retry-After says and send the same request again, with the same idempotency key: it may have been done already, and is then not done twice.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'The service failed to handle this request.',
    remedy: 'This is a fault of the service. Tell its operator the requestId: the log has the cause under it.',
  },
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    detail: 'This is not a well-formed HTTP request.',
    remedy:
      'Check what is between client and service: the address must be decodable, with one Host header and one correct length of the body.',
  },
  'headers-too-large': {
    status: 400,
    title: 'Headers too large',
    detail: 'The header is larger than is accepted.',
    remedy: 'Send at most 16 KiB of headers; often it is old cookies that fill them.',
  },
  'uri-too-long': {
    status: 400,
    title: 'URI too long',
    detail: 'The address is longer than is accepted.',
    remedy: 'Send an address of at most 8 KiB.',
  },
  'request-timeout': {
    status: 400,
    title: 'Request timeout',
    detail: 'The request did not arrive in time.',
    remedy: 'Send the whole request within 30 seconds, its headers within 15.',
  },
  'expectation-failed': {
    status: 400,
    title: 'Expectation failed',
    detail: 'No expectation but 100-continue can be met.',
    remedy: 'Leave the header Expect out, or send "100-continue".',
  },
};

export const problemCodes = Object.keys(problemKinds) as readonly ProblemCode[];

/** Whether a text, as it stands in an address, is one of the codes. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problemKinds, text);
}
