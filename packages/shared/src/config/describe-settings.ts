import { type Setting, type SettingName, type Surroundings, settingsTable } from './settings.ts';

interface DescribedSetting {
  readonly name: SettingName;
  /** The default as people would type it; what differs between backends or apps is told in words. */
  readonly fallback: string;
  readonly text: string;
  readonly isSecret: boolean;
}

const surroundings: Surroundings = {
  backend: 'embedded',
  isProduction: false,
  isTerminal: false,
  app: 'api',
  host: '127.0.0.1',
};

/** The settings as the documentation lists them, in the table's order. */
function describeSettings(): DescribedSetting[] {
  return (Object.keys(settingsTable) as SettingName[]).map((name) => {
    const setting = settingsTable[name] as Setting<unknown>;
    return { name, fallback: describeFallback(setting), text: setting.text, isSecret: setting.isSecret === true };
  });
}

/** The table of `docs/configuration.md`. */
export function settingsAsMarkdown(): string {
  const rows = describeSettings().map(
    ({ name, fallback, text }) => `| \`${name}\` | ${fallback === '' ? '–' : fallback} | ${text} |`,
  );
  return ['| name | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

const environmentFileHead = `# Every setting of the service, with its default where it has one. docs/configuration.md tells more.
# Not read by itself: copy it to .env, and before the start: set -a; . ./.env; set +a
`;

/** The text of `.env.example`. */
export function settingsAsEnvironmentFile(): string {
  const lines = describeSettings().map(({ name, fallback, text, isSecret }) => {
    const value = isSecret || !/^`[^`]*`$/.test(fallback) ? '' : fallback.slice(1, -1);
    return `# ${text}\n# ${name}=${value}\n`;
  });
  return `${environmentFileHead}\n${lines.join('\n')}`;
}

function describeFallback({ fallback }: Setting<unknown>): string {
  if (typeof fallback !== 'function') return show(fallback);
  const values = new Map<string, string[]>();
  const variants: [string, Partial<Surroundings>][] = [
    ['embedded', {}],
    ['cluster', { backend: 'cluster', host: '0.0.0.0' }],
    ['cluster in production', { backend: 'cluster', host: '0.0.0.0', isProduction: true }],
    ['worker', { app: 'worker', backend: 'cluster', host: '0.0.0.0' }],
    ['on a terminal', { isTerminal: true }],
  ];
  for (const [name, changes] of variants) {
    const value = show(fallback({ ...surroundings, ...changes }));
    values.set(value, [...(values.get(value) ?? []), name]);
  }
  const [first, ...others] = [...values];
  const told = others.map(([value, names]) => `${value === '' ? 'none' : value} (${names[0]})`);
  return [first?.[0] ?? '', ...told].join(', ');
}

function show(value: unknown): string {
  return value === null || value === undefined ? '' : `\`${String(value)}\``;
}
