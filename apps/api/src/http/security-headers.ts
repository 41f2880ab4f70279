/**
 * What every answer carries. A stream's answer replaces `cache-control` by its own. Nothing of this service is a page:
 * the policy lets a browser load nothing that an answer might name.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
