import { toFileVariable } from './secret-files.ts';
import { type DefaultContext, type Setting, type SettingName, settingsTable } from './settings.ts';

const documentedContext: DefaultContext = { backend: 'embedded', app: 'api', host: '127.0.0.1' };

/** Describes all settings. `allowed` is empty if every text is accepted, `defaultText` if no variant has a default. */
function describeSettings() {
  return (Object.keys(settingsTable) as SettingName[]).map((name) => {
    const setting = settingsTable[name] as Setting<unknown>;
    const { description, isSecret = false } = setting;
    // NUL is allowed nowhere.
    const allowed = setting.schema.safeParse('\0').error?.issues[0]?.message ?? '';
    return { name, defaultText: describeDefault(setting), allowed, description, isSecret };
  });
}

/** Returns the settings table of `docs/configuration.md`. */
export function formatMarkdownTable(): string {
  const rows = describeSettings().map(
    ({ name, defaultText, allowed, description, isSecret }) =>
      `| \`${name}\`${isSecret ? `, \`${toFileVariable(name)}\`` : ''} | ${defaultText || '–'} | ${allowed || '–'} | ${description} |`,
  );
  return ['| name | default | allowed | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const environmentFileHeader = `# All settings of the service with their defaults. docs/configuration.md explains more.
# Instead of a secret, set the variable that ends in _FILE to the path of a file with its value.
# The service does not read this file. Copy it to .env, and before each start run: set -a; . ./.env; set +a
`;

/** Returns the text of `.env.example`. */
export function formatEnvironmentFile(): string {
  const lines = describeSettings().map(({ name, defaultText, description, isSecret }) => {
    // A default that differs between variants stays empty: the file is for all of them.
    const value = isSecret || !/^`[^`]*`$/.test(defaultText) ? '' : defaultText.slice(1, -1);
    const fileLine = isSecret ? `# ${toFileVariable(name)}=\n` : '';
    return `# ${description}\n# ${name}=${value}\n${fileLine}`;
  });
  return `${environmentFileHeader}\n${lines.join('\n')}`;
}

/** The default in backticks, then those of other variants with the name of the variant, such as 8082 (worker). */
function describeDefault({ defaultValue }: Setting<unknown>): string {
  if (typeof defaultValue !== 'function') return formatValue(defaultValue);
  const namesByValue = new Map<string, string[]>();
  const variants: [string, Partial<DefaultContext>][] = [
    ['embedded', {}],
    ['cluster', { backend: 'cluster', host: '::' }],
    ['worker', { app: 'worker', backend: 'cluster', host: '::' }],
  ];
  for (const [name, changes] of variants) {
    const value = formatValue(defaultValue({ ...documentedContext, ...changes }));
    namesByValue.set(value, [...(namesByValue.get(value) ?? []), name]);
  }
  const [first, ...others] = [...namesByValue];
  // The first name is enough: `cluster` includes the worker unless it differs.
  const otherTexts = others.map(([value, names]) => `${value === '' ? 'none' : value} (${names[0]})`);
  return [first?.[0] ?? '', ...otherTexts].join(', ');
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return `\`${value instanceof Set ? [...value].join(',') : String(value)}\``;
}
