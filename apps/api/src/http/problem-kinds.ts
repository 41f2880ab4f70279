import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';

/** What all problems with one code have in common. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The default `detail`, for a rejection without a text of its own. */
  readonly detail: string;
  /** What the reader should do next. The page `/problems/<code>` shows it. */
  readonly remedy: string;
}

/** Status and texts of every problem code: no handler decides a status. answer-failure.ts gives an error its code. */
export const problemKinds: Readonly<Record<ProblemCode, ProblemKind>> = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request is not valid; "errors" names what is wrong.',
    remedy:
      'Correct the mistakes that "errors" lists, at most 20 at once. Each has a code and a place: a "pointer" into the body, a query "parameter" or a "header". The same request will be rejected again.',
  },
  'invalid-json': {
    status: 400,
    title: 'Invalid JSON',
    detail: 'The body is not valid JSON.',
    remedy:
      'Send one JSON value in UTF-8, nested at most 32 levels deep, without lone surrogates and without member names that refer to a prototype, such as "__proto__".',
  },
  'unsupported-media-type': {
    status: 400,
    title: 'Unsupported media type',
    detail: 'The body must be sent as application/json, without a content encoding.',
    remedy: 'Send the header "Content-Type: application/json" and an uncompressed body.',
  },
  'payload-too-large': {
    status: 400,
    title: 'Payload too large',
    detail: 'The body is too large.',
    remedy:
      'Send a smaller body: the detail names the limit. For a hook, it is 64 KiB, unless the operator of the service has set another one (BODY_LIMIT_BYTES). Except for hooks, a body may also have at most 4096 values.',
  },
  'invalid-idempotency-key': {
    status: 400,
    title: 'Invalid idempotency key',
    detail: 'Idempotency-Key must be sent once, as 1 to 255 visible ASCII characters.',
    remedy:
      'Send one key without spaces or control characters. For example, make a UUID per request, and send it again only with repeats of that request.',
  },
  'idempotency-key-reused': {
    status: 409,
    title: 'Idempotency key reused',
    detail: 'This idempotency key was used before, with another body.',
    remedy:
      'A key stands for one request. Use it again only to repeat the same body. For another widget, make a new key.',
  },
  'not-authenticated': {
    status: 403,
    title: 'Not authenticated',
    detail: 'Sign in first.',
    remedy:
      'Sign in and send exactly one session cookie. To create widgets without signing in, send a provision token as "Authorization: Bearer …". A session ends when it is idle for too long, at the end of its lifetime, and when its user is disabled.',
  },
  'invalid-credentials': {
    status: 403,
    title: 'Invalid credentials',
    detail: 'E-mail or password is wrong.',
    remedy:
      'Check both. The response is the same for an unknown address, a wrong password and a disabled user. An admin can set a new password.',
  },
  'password-sign-in-disabled': {
    status: 403,
    title: 'Password sign-in disabled',
    detail: 'This service has no sign-in by password.',
    remedy:
      'Sign in through the identity provider: open /api/v1/session/oidc in the browser. The operator of the service has switched passwords off.',
  },
  'sign-in-not-verified': {
    status: 403,
    title: 'Sign-in not verified',
    detail: 'The sign-in could not be verified. Start it again.',
    remedy:
      'Start again at /api/v1/session/oidc, in the same browser and in one tab. A sign-in must end within ten minutes, and each response of the identity provider counts once. The browser must accept the cookie of the service.',
  },
  'sign-in-refused': {
    status: 403,
    title: 'Sign-in refused',
    detail: 'The identity provider knows you, but you may not sign in to this service.',
    remedy:
      'The "detail" says why. Ask the administrators of the identity provider for a role in this service, or an admin of this service to enable your user.',
  },
  'permission-denied': {
    status: 403,
    title: 'Permission denied',
    detail: 'The caller does not have the permission that this request needs.',
    remedy: 'Ask an admin for a role (viewer, editor or admin) that has the permission named in "detail".',
  },
  'password-change-required': {
    status: 403,
    title: 'Password change required',
    detail: 'An admin has set your password. Change it first.',
    remedy:
      'Change the password with PUT /api/v1/session/password. Until then, the session can only be read and ended. After it, send the same request again.',
  },
  'weak-password': {
    status: 400,
    title: 'Weak password',
    detail: 'The new password is too easy to guess.',
    remedy:
      'Choose another password: for example four random words, or what a password manager generates. Do not use your e-mail address, the name of the service, a common password or a simple pattern.',
  },
  'csrf-token-invalid': {
    status: 403,
    title: 'CSRF token invalid',
    detail: "The request must come from the service's own origin, with the session's csrfToken in X-Csrf-Token.",
    remedy:
      'Send the csrfToken in the header X-Csrf-Token, from a page of the service itself. Signing in returns the csrfToken, and so does reading the session.',
  },
  'stream-not-found': {
    status: 404,
    title: 'Stream not found',
    detail: 'There is no stream at this address.',
    remedy:
      'The token in the address is unknown, expired or revoked; the service does not say which. Do not retry with it. Ask the manager of the subscriptions for a new address.',
  },
  'invalid-hook-token': {
    status: 400,
    title: 'Invalid hook token',
    detail: 'This address accepts no hooks.',
    remedy:
      'The token in the address is unknown, expired or revoked; the service does not say which. Do not retry with it. Ask the manager of the integrations for a new address.',
  },
  'invalid-hook-signature': {
    status: 400,
    title: 'Invalid hook signature',
    detail: 'The signature headers are missing, too old or do not match the body.',
    remedy:
      'Sign "<webhook-id>.<webhook-timestamp>.<body>" as Standard Webhooks describes. Sign the exact bytes that you send, with the signing secret of the token in the address. The timestamp must be within five minutes of the time of the service.',
  },
  'hook-not-mappable': {
    status: 400,
    title: 'Hook not mappable',
    detail: 'The mapping of this integration does not make a hook of this request.',
    remedy:
      'The mapping of the integration does not fit what the sender sends: "detail" names the member of the hook, and "errors" the place. Change the mapping, with the preview of the integration; then let the sender send it again. The same request will be rejected again until then.',
  },
  'email-in-use': {
    status: 409,
    title: 'E-mail in use',
    detail: 'Another user has this e-mail address.',
    remedy: 'Choose another address, or change the user who has it. Upper and lower case are equal.',
  },
  'last-admin': {
    status: 409,
    title: 'Last admin',
    detail: 'This would leave the service without an admin who can sign in.',
    remedy: 'Make another user an admin first.',
  },
  'user-has-no-password': {
    status: 409,
    title: 'User has no password',
    detail: 'This user signs in through the identity provider and has no password.',
    remedy: 'Change the password at the identity provider.',
  },
  'delivery-not-dead': {
    status: 409,
    title: 'Delivery not dead',
    detail: 'Only a dead delivery can be redriven or discarded.',
    remedy: 'Do nothing: the delivery is published or discarded, or still being processed. Read it to see its state.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    detail: 'There is nothing at this address.',
    remedy: 'Check the path and the id in it. The id may be wrong, or the resource may have been deleted.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address does not support the method. The header Allow lists the methods it supports.',
    remedy: 'Use one of the methods in the header Allow.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    detail: 'Wait as long as Retry-After says before the next request.',
    remedy:
      'Wait as many seconds as the header Retry-After says, then send the same request again. The service has not processed it. The header RateLimit shows how many requests are left, and RateLimit-Policy shows the limit.',
  },
  'too-many-connections': {
    status: 503,
    title: 'Too many connections',
    detail: 'This connection is above a limit of the service and closes now.',
    remedy:
      'Use one connection for many requests, and close those that you do not need: open streams count too. Then send the same request again. The service has not processed it. If your requests come through a proxy that others use as well, the operator of the service must declare it.',
  },
  'integration-backlog-full': {
    status: 503,
    title: 'Backlog of the integration full',
    detail: 'Too many hooks of this integration wait to be processed.',
    remedy:
      'Wait at least as many seconds as the header Retry-After says, then send the same request again. The service has not kept it. Send fewer or smaller hooks while the service catches up. Hooks of other integrations are still accepted.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    detail: 'The service cannot do this right now. Try again shortly.',
    remedy:
      'Wait as many seconds as the header Retry-After says, then send the same request again with the same idempotency key. If the first request was processed after all, the service does not process it twice.',
  },
  'identity-provider-unavailable': {
    status: 503,
    title: 'Identity provider unavailable',
    detail: 'The identity provider does not answer as it should. Try again shortly.',
    remedy:
      'Wait as many seconds as the header Retry-After says, then start the sign-in again. If it lasts, the operator of the service finds the cause in the log under the requestId. Sessions that exist go on.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'The service failed to handle this request.',
    remedy:
      'This is a fault of the service. Send the requestId to its operator, who finds the cause in the log under this id.',
  },
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    detail: 'This is not a well-formed HTTP request.',
    remedy:
      'Check the client and the proxies in front of the service. The address must be decodable, and the request needs exactly one Host header and one correct body length.',
  },
  'host-not-allowed': {
    status: 400,
    title: 'Host not allowed',
    detail: 'The service does not answer to the name in the Host header.',
    remedy:
      'Use the address that the operator of the service has published. The service answers to the host of PUBLIC_BASE_URL, to names in ALLOWED_HOSTS, to IP addresses and to localhost. If this name is right, the operator adds it to ALLOWED_HOSTS.',
  },
  'headers-too-large': {
    status: 400,
    title: 'Headers too large',
    detail: 'The request headers are too large.',
    remedy: 'Send at most 16 KiB of headers. Old cookies are a common cause.',
  },
  'uri-too-long': {
    status: 400,
    title: 'URI too long',
    detail: 'The address is too long.',
    remedy: 'Send an address of at most 8 KiB.',
  },
  'request-timeout': {
    status: 400,
    title: 'Request timeout',
    detail: 'The request did not arrive in time.',
    remedy: 'Send the whole request within 30 seconds, and its headers within 15.',
  },
  'expectation-failed': {
    status: 400,
    title: 'Expectation failed',
    detail: 'The service supports no expectation but 100-continue.',
    remedy: 'Omit the header Expect, or send "100-continue".',
  },
};
