import { deviceCookieLifetimeMs, mintDeviceCookie } from '@widget-service/shared/domain/device-cookie.ts';
import { stringifySetCookie } from 'cookie';
import { nameHostCookie, readCookie } from './request-cookies.ts';

/** By this cookie the sign-in limits recognise a browser that has signed in before. It authenticates nobody. */
const deviceCookieName = 'service_device';

/** Returns the device cookie of a `Cookie` header, unverified. Null: the header has none, or several. */
export function readDeviceCookie(cookieHeader: string | undefined, isSecure: boolean): string | null {
  return readCookie(cookieHeader, nameHostCookie(deviceCookieName, isSecure));
}

/** Returns the `Set-Cookie` value by which this browser is recognised at the user's next sign-in. */
export function formatDeviceCookie(
  user: Parameters<typeof mintDeviceCookie>[0],
  { now, isSecure }: { readonly now: Date; readonly isSecure: boolean },
): string {
  return stringifySetCookie({
    name: nameHostCookie(deviceCookieName, isSecure),
    value: mintDeviceCookie(user, now),
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: isSecure,
    maxAge: deviceCookieLifetimeMs / 1_000,
  });
}
