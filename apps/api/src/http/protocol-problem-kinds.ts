/** What all problems with one code have in common. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The default `detail`, for a rejection without a text of its own. */
  readonly detail: string;
  /** What the reader should do next. The page `/problems/<code>` shows it. */
  readonly remedy: string;
}

/** The part of `problemKinds` about HTTP itself, in a file of its own for its length. */
export const protocolProblemKinds = {
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
} satisfies Readonly<Record<string, ProblemKind>>;
