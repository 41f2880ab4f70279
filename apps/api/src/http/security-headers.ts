import { dataHeaders } from '@widget-service/shared/runtime/ops-server.ts';

/** How long a browser uses HTTPS only for this host, after any response: a year. Without `includeSubDomains`. */
const httpsOnlySeconds = 31_536_000;

/**
 * Content security policies. None allows anything from another origin, inline scripts or styles, or a frame.
 * `base-uri`, `form-action` and `frame-ancestors` do not fall back to `default-src`.
 */
export const contentPolicies = {
  /** Everything that is no page: a browser that shows it as a document loads and runs nothing. */
  data: dataHeaders['content-security-policy'],
  /** A page without scripts. */
  text: "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  /** The page with Swagger UI. Its stylesheet contains its images as data URLs. */
  application:
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  /** The console. Its scripts cannot make HTML out of a text (Trusted Types). */
  console:
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
} as const;

/** Headers of every response but that to a hook, also of refusals that Node or Fastify writes before the router. */
export const securityHeaders = { ...dataHeaders, 'x-robots-tag': 'noindex' } as const;

/**
 * The security headers of a response to a posted hook. Its reader is a program: the other `securityHeaders` only tell a
 * browser or a search engine what to do with a document.
 */
export const postedHookHeaders = {
  'cache-control': dataHeaders['cache-control'],
  'x-content-type-options': dataHeaders['x-content-type-options'],
} as const;

/** Override `securityHeaders` at a stream address, also in refusals: pages of any origin may read the response. */
export const streamAddressHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** In addition, in every response to a request with `isHttpsOnly`. */
export const httpsOnlyHeaders = { 'strict-transport-security': `max-age=${httpsOnlySeconds}` } as const;

/**
 * Headers of the response that ends the session of a browser. The cache includes pages to which the browser would go
 * back without a request. Not `"cookies"`: it would also remove the cookies of sibling hosts. Not `"storage"`: a
 * console on the same origin keeps its own data there, and clears it itself.
 */
export const signOutHeaders = { 'clear-site-data': '"cache"' } as const;
