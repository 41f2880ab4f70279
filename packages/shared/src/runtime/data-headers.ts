/** Headers of a response that is no page: a browser that shows it as a document loads, runs and stores nothing. */
export const dataHeaders = {
  // Responses may show secrets and personal data.
  'cache-control': 'no-store',
  // `base-uri`, `form-action` and `frame-ancestors` do not fall back to `default-src`.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // No page of another origin can load a response as an image, a script or the like. Requests with CORS are not
  // affected.
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  // URLs of streams and hooks are secrets.
  'referrer-policy': 'no-referrer',
} as const;
