import type { Settings } from './settings.ts';

/** Returns a line per setting that lets somebody pretend to be a store, although its URL asks for TLS. */
export function listTlsWarnings(settings: Settings): string[] {
  const { MONGODB_URL, REDIS_URL, EVENTS_REDIS_URL, REDIS_SENTINELS, REDIS_SENTINEL_TLS } = settings;
  const lines: string[] = [];
  const hasTls = [REDIS_URL, EVENTS_REDIS_URL].some((url) => url?.startsWith('rediss:') === true);
  if (hasTls && REDIS_SENTINELS !== null && !REDIS_SENTINEL_TLS) {
    lines.push('REDIS_SENTINEL_TLS is false: who is on the way to a Sentinel can name another Redis; set it to true');
  }
  const insecure = /[?&](tlsInsecure|tlsAllowInvalidCertificates|tlsAllowInvalidHostnames)=true(?=&|$)/i;
  const [, option] = insecure.exec(MONGODB_URL ?? '') ?? [];
  if (option !== undefined) {
    lines.push(`MONGODB_URL has ${option}: anybody on the way can pretend to be MongoDB; remove it`);
  }
  return lines;
}
