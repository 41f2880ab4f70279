import { ExitError, exitCodes } from '../runtime/exit-error.ts';
import { type Setting, type SettingName, type Settings, type Surroundings, settingsTable } from './settings.ts';

/** One or more settings are wrong; each line names the variable, what was given, and what is allowed. */
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
}

/**
 * Reads every setting from the environment, once, at start. An empty variable counts as not set. Throws
 * `SettingsError` with one line per mistake.
 */
export function parseSettings(
  environment: Readonly<Record<string, string | undefined>>,
  process: { readonly app: 'api' | 'worker'; readonly isTerminal: boolean },
): ParsedSettings {
  const given = (name: string) => (environment[name] === '' ? undefined : environment[name]);
  const lines: string[] = [];
  const backend = given('MONGODB_URL') !== undefined || given('REDIS_URL') !== undefined ? 'cluster' : 'embedded';
  if (backend === 'cluster') lines.push(...missingStoreUrls(given));
  if (backend === 'embedded' && process.app === 'worker') {
    lines.push(
      'MONGODB_URL and REDIS_URL: not set; a worker needs both (the embedded service is one process: npm start)',
    );
  }

  const surroundings: Surroundings = {
    ...process,
    backend,
    isProduction: given('NODE_ENV') === 'production',
    host: given('HOST') ?? (backend === 'embedded' ? '127.0.0.1' : '0.0.0.0'),
  };
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(settingsTable) as SettingName[]) {
    const setting = settingsTable[name] as Setting<unknown>;
    values[name] = readSetting(name, setting, given(name), surroundings, lines);
  }
  if (lines.length > 0) throw new SettingsError(lines);
  const settings = values as Settings;
  if (process.app === 'api') refuseSharedPort(settings);
  return { settings, backend };
}

function missingStoreUrls(given: (name: string) => string | undefined): string[] {
  return ['MONGODB_URL', 'REDIS_URL']
    .filter((name) => given(name) === undefined)
    .map((name) => `${name}: not set; the cluster needs both MONGODB_URL and REDIS_URL, the embedded service neither`);
}

/** Each interface of an api listens by itself; 0 takes a free port for each. */
function refuseSharedPort({ HOST, PORT, OPS_HOST, OPS_PORT }: Settings): void {
  if (PORT === 0 || PORT !== OPS_PORT || HOST !== OPS_HOST) return;
  throw new SettingsError([`PORT, OPS_PORT: ${PORT} is given for both; allowed: a port for each`]);
}

function readSetting(
  name: string,
  setting: Setting<unknown>,
  given: string | undefined,
  surroundings: Surroundings,
  lines: string[],
): unknown {
  if (given === undefined) {
    return typeof setting.fallback === 'function' ? setting.fallback(surroundings) : setting.fallback;
  }
  const parsed = setting.schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const allowed = [...new Set(parsed.error.issues.map((issue) => issue.message))].join('; ');
  const shown =
    setting.isSecret === true ? 'the given value is not allowed' : `${JSON.stringify(given)} is not allowed`;
  lines.push(`${name}: ${shown}; allowed: ${allowed}`);
  return undefined;
}
