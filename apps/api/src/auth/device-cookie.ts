import { deviceCookieLifetimeMs, mintDeviceCookie } from '@widget-service/shared/domain/device-cookie.ts';
import { stringifySetCookie } from 'cookie';

/** By this cookie the sign-in limits recognise a browser that has signed in before. It authenticates nobody. */
const deviceCookieName = 'service_device';

const cookiePrefix = `${deviceCookieName}=`;

/** Returns every device cookie of a `Cookie` header, unverified. A second one may have been planted. */
export function parseDeviceCookies(cookieHeader: string | undefined): string[] {
  return (cookieHeader ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(cookiePrefix))
    .map((pair) => pair.slice(cookiePrefix.length));
}

/** Returns the `Set-Cookie` value by which this browser is recognised at the user's next sign-in. */
export function formatDeviceCookie(
  user: Parameters<typeof mintDeviceCookie>[0],
  { now, isSecure }: { readonly now: Date; readonly isSecure: boolean },
): string {
  return stringifySetCookie({
    name: deviceCookieName,
    value: mintDeviceCookie(user, now),
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: isSecure,
    maxAge: deviceCookieLifetimeMs / 1_000,
  });
}
