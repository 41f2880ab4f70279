import { createHash } from 'node:crypto';
import { sealText, unsealText } from '@widget-service/shared/domain/encrypted-text.ts';
import { stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { listCookieNames, nameHostCookie, readCookie } from '../cookies.ts';
import type { SignInSecrets } from './identity-provider.ts';

/** A sign-in that a browser has started, and that the provider's redirect continues on any pod. */
export interface PendingSignIn extends SignInSecrets {
  /** Where the browser goes after the sign-in: see `parseReturnTo`. */
  readonly returnTo: string;
}

const pendingSignInCookieName = 'service_sign_in';

/** People type passwords and second factors at the provider. */
const lifetimeMs = 600_000;
/** A cookie has at most 1.5 KB, and Node accepts 16 KB of headers. */
const pendingMax = 4;
/** Separates the key from any other key that is derived from the client secret. */
const purpose = 'widget-service pending sign-in';

const sealedSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  expiresAtMs: z.number(),
});

/**
 * Keeps pending sign-ins in a cookie, so that any pod can answer the callback and none stores anything. The cookie is
 * sealed (AES-256-GCM): the browser can neither read nor change it. Each sign-in has its own, named by a hash of its
 * state, so that the tabs of a browser do not end each other's. The key is derived from the client secret, which every
 * pod has, and nobody else but the provider.
 */
export function createPendingSignIns(clientSecret: string, isSecure: boolean) {
  const prefix = nameHostCookie(`${pendingSignInCookieName}_`, isSecure);
  const toName = (state: string) => prefix + createHash('sha256').update(state).digest('base64url').slice(0, 16);
  // The prefix `__Host-` requires this path.
  const attributes = { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure } as const;
  const formatCleared = (name: string) => stringifySetCookie({ ...attributes, name, value: '', maxAge: 0 });
  return {
    /**
     * Returns the `Set-Cookie` values that keep the sign-in for ten minutes. Of those that the browser has, only the
     * latest stay: it names the oldest cookie first (RFC 6265, section 5.4).
     */
    format: (pending: PendingSignIn, cookieHeader: string | undefined, now: Date): string[] => {
      const text = JSON.stringify({ ...pending, expiresAtMs: now.getTime() + lifetimeMs });
      const value = sealText(text, clientSecret, purpose);
      const older = listCookieNames(cookieHeader, prefix).slice(0, 1 - pendingMax);
      return [
        stringifySetCookie({ ...attributes, name: toName(pending.state), value, maxAge: lifetimeMs / 1_000 }),
        ...older.map(formatCleared),
      ];
    },
    /** Returns the `Set-Cookie` value that removes the sign-in with this state. */
    formatCleared: (state: string): string => formatCleared(toName(state)),
    /**
     * Returns the sign-in with this state. Null: the `Cookie` header has none or several, or the sign-in is forged or
     * expired.
     */
    parse: (cookieHeader: string | undefined, state: string, now: Date): PendingSignIn | null => {
      const text = unsealText(readCookie(cookieHeader, toName(state)) ?? '', clientSecret, purpose);
      if (text === null) return null;
      const { expiresAtMs, ...pending } = sealedSchema.parse(JSON.parse(text));
      return now.getTime() < expiresAtMs ? pending : null;
    },
  };
}

/**
 * Returns the address to which the browser returns, as a path with its query and fragment. Returns null if the text is
 * not a path of this service, which is below `publicBaseUrl`: a link to a sign-in must not lead to another site.
 */
export function parseReturnTo(text: string, publicBaseUrl: string): string | null {
  const base = new URL(`${publicBaseUrl}/`);
  // A browser resolves the text like this, with the same rules for backslashes, dots and line breaks.
  if (!text.startsWith('/') || !URL.canParse(text, base.href)) return null;
  const { origin, pathname, search, hash } = new URL(text, base);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  // Such a path would itself be read as an address of another site.
  return pathname.startsWith('//') ? null : `${pathname}${search}${hash}`;
}
