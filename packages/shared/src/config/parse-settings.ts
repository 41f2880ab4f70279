import { ExitError, exitCodes } from '../runtime/exit-error.ts';
import { checkCombinations } from './check-combinations.ts';
import { listSecrets, readSecretFiles } from './secret-files.ts';
import { type DefaultContext, type Setting, type SettingName, type Settings, settingsTable } from './settings.ts';

/**
 * One or more settings are wrong. Each line names the variable, its value unless that is secret, and what is allowed.
 */
export class SettingsError extends ExitError {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(exitCodes.configuration, lines.join('\n'));
    this.lines = lines;
  }
}

export interface ParsedSettings {
  readonly settings: Settings;
  readonly backend: 'embedded' | 'cluster';
  /** From `NODE_ENV`, as the image sets it. */
  readonly isProduction: boolean;
}

/** The secrets whose files each process reads: a worker may have the same variables as the api, but not its mounts. */
const listSecretsOf = {
  api: listSecrets,
  // Those of the stores and of tracing.
  worker: (): SettingName[] => listSecrets().filter((name) => /^(MONGODB|REDIS|EVENTS|OTEL)_/.test(name)),
  migration: (): SettingName[] => ['MONGODB_URL'],
} as const;

const inSentinelsUrl = 'REDIS_SENTINELS is a URL with user and password, redis://user:password@sentinel-0:26379';
/** Former settings, and what to use instead. A start fails if one is set, because it would be ignored. */
const formerSettings = {
  REDIS_KEY_PREFIX: 'it is the name of the database, the path of MONGODB_URL',
  MONGODB_DATABASE:
    'the path of MONGODB_URL names the database, mongodb://db:27017/widgets (and authSource=admin the database of its user)',
  REDIS_CLUSTER_NODES: 'REDIS_URL names the nodes, redis://redis-0:6379,redis-1:6379',
  EVENTS_REDIS_CLUSTER_NODES: 'EVENTS_REDIS_URL names the nodes, redis://redis-0:6379,redis-1:6379',
  REDIS_SENTINEL_USERNAME: inSentinelsUrl,
  REDIS_SENTINEL_PASSWORD: inSentinelsUrl,
  REDIS_SENTINEL_TLS: 'REDIS_SENTINELS begins with rediss:',
  REDIS_SENTINEL_NAME: 'the host of REDIS_URL is the name, without a port',
  EVENTS_REDIS_SENTINEL_NAME: 'the host of EVENTS_REDIS_URL is the name, without a port',
  REDIS_TLS_KEY: 'REDIS_TLS_CERT holds the key, too: append it to the certificate',
  EVENT_RETENTION_MS: 'events are kept for 24 hours at most; EVENT_RETENTION_BYTES bounds them',
  OIDC_CLIENT_AUTHENTICATION: 'the metadata of the provider names it',
  DRAIN_WINDOW_MS: 'it is four times DRAIN_DELAY_MS',
} as const;

/**
 * Parses every setting of the environment, once at start. An empty variable counts as not set. A secret may come from a
 * file instead (`REDIS_URL_FILE`). Throws `SettingsError` with one line per mistake. It reports settings that do not
 * fit together only if nothing else is wrong.
 */
export function parseSettings(
  environment: Readonly<Record<string, string | undefined>>,
  { app }: Pick<DefaultContext, 'app'>,
): ParsedSettings {
  const readVariable = (name: string) => (environment[name] === '' ? undefined : environment[name]);
  const files = readSecretFiles(listSecretsOf[app](), readVariable);
  const read = (name: string) => files.values.get(name) ?? readVariable(name);
  const isGiven = (name: string) => read(name) !== undefined || files.mistakes.has(name);
  const lines = [...listFormerSettings(readVariable), ...files.mistakes.values()];
  const backend = isGiven('MONGODB_URL') || isGiven('REDIS_URL') ? 'cluster' : 'embedded';
  if (backend === 'cluster') lines.push(...checkStoreUrls(isGiven, app));
  if (backend === 'embedded' && isGiven('EVENTS_REDIS_URL')) {
    lines.push('EVENTS_REDIS_URL: needs MONGODB_URL and REDIS_URL; set both for a cluster, or none of the three');
  }
  if (backend === 'embedded' && app !== 'api') {
    lines.push(
      app === 'migration'
        ? 'MONGODB_URL: not set; this command is for a cluster. The embedded service needs none: it upgrades its file when it starts'
        : 'MONGODB_URL and REDIS_URL: not set; set both for a worker, or start the embedded service with: npm start',
    );
  }

  const context: DefaultContext = {
    ...{ app, backend },
    host: read('HOST') ?? (backend === 'embedded' ? '127.0.0.1' : '::'),
  };
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(settingsTable) as SettingName[]) {
    if (files.mistakes.has(name)) continue;
    const setting = settingsTable[name] as Setting<unknown>;
    values[name] = parseSetting(name, setting, read(name), context, lines);
  }
  if (lines.length > 0) throw new SettingsError(lines);
  const settings = values as Settings;
  const mistakes = checkCombinations(settings, app);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return { settings, backend, isProduction: readVariable('NODE_ENV') === 'production' };
}

function listFormerSettings(readVariable: (name: string) => string | undefined): string[] {
  return Object.entries(formerSettings).flatMap(([name, text]) =>
    [name, `${name}_FILE`]
      .filter((variable) => readVariable(variable) !== undefined)
      .map((variable) => `${variable}: is no setting any more; ${text}`),
  );
}

function checkStoreUrls(isGiven: (name: string) => boolean, app: DefaultContext['app']): string[] {
  return ['MONGODB_URL', ...(app === 'migration' ? [] : ['REDIS_URL'])]
    .filter((name) => !isGiven(name))
    .map(
      (name) =>
        `${name}: not set; set both MONGODB_URL and REDIS_URL for a cluster, or neither for the embedded service`,
    );
}

/** Returns the value of a setting. Adds a line to `lines` and returns undefined if the given value is not allowed. */
function parseSetting(
  name: string,
  setting: Setting<unknown>,
  given: string | undefined,
  context: DefaultContext,
  lines: string[],
): unknown {
  if (given === undefined) {
    return typeof setting.defaultValue === 'function' ? setting.defaultValue(context) : setting.defaultValue;
  }
  const parsed = setting.schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const allowed = [...new Set(parsed.error.issues.map((issue) => issue.message))].join('; ');
  // The value of another setting may hold a secret by mistake: a URL with a password.
  const isHidden = setting.isSecret === true || /\/\/[^/]*@/.test(given);
  const shown = isHidden ? 'the given value is not allowed' : `${JSON.stringify(given)} is not allowed`;
  lines.push(`${name}: ${shown}; allowed: ${allowed}`);
  return undefined;
}
