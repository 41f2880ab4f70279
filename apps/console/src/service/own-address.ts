import { serviceRoot } from './page-settings.ts';

/**
 * Returns the same address of the service under the origin and prefix of this page. The service names the address that
 * it has for everybody (`PUBLIC_BASE_URL`), and the content policy allows the page its own origin only.
 */
export function toOwnAddress(url: string): string {
  const { pathname, search } = new URL(url);
  const start = pathname.indexOf('/api/v1/');
  const path = start === -1 ? '' : pathname.slice(start + 1);
  return new URL(path + search, serviceRoot).href;
}
