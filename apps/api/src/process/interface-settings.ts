import { type Settings, settingsTable } from '@widget-service/shared/config/settings.ts';
import { type RateLimit, toRateLimit } from '@widget-service/shared/domain/gcra.ts';
import { isLoopback } from '@widget-service/shared/runtime/host-name.ts';
import type { ConnectionLimits } from '../http/connection-limits.ts';
import type { TrustedProxies } from '../http/forwarding.ts';
import type { BackendFacts } from './open-backend.ts';

/** What the settings say about the public interface. */
export interface InterfaceSettings {
  readonly trustedProxies: TrustedProxies;
  /** Base of the URLs in responses, without a trailing slash. Null: each request's own scheme and host. */
  readonly publicBaseUrl: string | null;
  /** Host names that the service answers to, besides addresses and `localhost`. Null: every name. */
  readonly allowedHosts: readonly string[] | null;
  readonly cookieSecure: boolean;
  readonly passwordSignInEnabled: boolean;
  readonly bodyLimitBytes: number;
  readonly connections: ConnectionLimits;
  /** Whether the service serves `/console`. */
  readonly consoleEnabled: boolean;
  /** Whether the service serves its documentation: `/docs`, the OpenAPI document and the pages of problems. */
  readonly docsEnabled: boolean;
  /** Null: there is no security.txt. */
  readonly securityContacts: readonly string[] | null;
}

/** New sessions of one user. A person needs a few a day, and a script that signs in for each run one a run. */
const signIns: RateLimit = { ratePerSecond: 0.1, burst: 120 };

/**
 * Widgets that a provision token may create, at once and then in an hour. Nothing removes one, so a leaked token must
 * not create at its whole rate of requests for long: at 50 a second, that were 180 000 an hour. Who raises the rate
 * raises this, too.
 */
const widgetsPerHour = (api: number) => 200 * Math.max(50, api);

/** Null means no limit: the rate is 0. */
export function toRateLimits({ HOOK_RATE_PER_SECOND: hooks, API_RATE_PER_SECOND: api }: Settings) {
  const burst = widgetsPerHour(api);
  return {
    hooks: hooks === 0 ? null : toRateLimit(hooks),
    api: api === 0 ? null : toRateLimit(api),
    widgets: api === 0 ? null : { ratePerSecond: burst / 3_600, burst },
    signIns,
  };
}

export function toInterfaceSettings(
  settings: Settings,
  { startsWithoutSettings }: Pick<BackendFacts, 'startsWithoutSettings'>,
): InterfaceSettings {
  const isChanged = settings.STREAMS_PER_POD !== settingsTable.STREAMS_PER_POD.defaultValue;
  return {
    trustedProxies: settings.TRUSTED_PROXIES,
    publicBaseUrl: settings.PUBLIC_BASE_URL,
    allowedHosts: toAllowedHosts(settings),
    cookieSecure: settings.COOKIE_SECURE,
    passwordSignInEnabled: settings.PASSWORD_SIGN_IN_ENABLED,
    bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    connections: { ...toConnectionLimits(settings), isPlanned: isChanged || !startsWithoutSettings },
    consoleEnabled: settings.PAGES.has('console'),
    docsEnabled: settings.PAGES.has('docs'),
    securityContacts: settings.SECURITY_CONTACT,
  };
}

/** Besides streams: hooks, requests, and connections between two requests. Each takes about 10 KiB. */
const otherConnections = 10_000;

/** Converts the settings to the limits on connections of a pod. */
export function toConnectionLimits({ CONNECTIONS_PER_ADDRESS, STREAMS_PER_POD }: Settings) {
  return { perAddress: CONNECTIONS_PER_ADDRESS, perPod: STREAMS_PER_POD + otherConnections };
}

/**
 * Returns the host names that the public interface answers to. Null: every name, because nothing says which are its
 * own. On loopback no other machine can connect, and a name other than `localhost` can only be that of a page that
 * attacks this machine.
 */
function toAllowedHosts({ HOST, PUBLIC_BASE_URL, ALLOWED_HOSTS }: Settings): readonly string[] | null {
  if (PUBLIC_BASE_URL === null && ALLOWED_HOSTS.length === 0 && !isLoopback(HOST)) return null;
  return [...(PUBLIC_BASE_URL === null ? [] : [new URL(PUBLIC_BASE_URL).hostname]), ...ALLOWED_HOSTS];
}
