import { parseArgs } from 'node:util';
import type { CommandDefinition, CommandInput, OptionDefinition } from './command.ts';
import { UsageError } from './failures.ts';

/** Options of every command. */
export const commonOptions: Readonly<Record<string, OptionDefinition>> = {
  url: { value: 'URL', text: 'The service. Default: WIDGETCTL_URL, else http://127.0.0.1:8080.' },
  json: { text: 'Print each result as one line of JSON.' },
  'no-color': { text: 'Print no colours. The default if the output is no terminal, or NO_COLOR is set.' },
  help: { short: 'h', text: 'Print help.' },
  version: { text: 'Print the version.' },
};

export interface CommandLine {
  /** Null: only common options were given. */
  readonly command: CommandDefinition | null;
  readonly input: CommandInput;
}

/** Finds the command and checks what follows it. Throws a `UsageError` that names the mistake. */
export function parseCommandLine(args: readonly string[], commands: readonly CommandDefinition[]): CommandLine {
  const command = findCommand(args, commands);
  const definitions = { ...commonOptions, ...command?.options };
  const parsed = parse(args, definitions);
  const given = parsed.positionals.slice(command?.name.split(' ').length ?? 0);
  const input: CommandInput = {
    parameters: given,
    value: (option) => readValues(parsed.values, option).at(-1),
    values: (option) => readValues(parsed.values, option),
    has: (option) => parsed.values[option] !== undefined,
  };
  if (!input.has('help') && !input.has('version')) {
    if (command === null && parsed.positionals.length > 0) {
      throw new UsageError(describeUnknown(parsed.positionals, commands));
    }
    if (command !== null) checkParameters(command, given);
    checkChoices(definitions, input);
  }
  return { command, input };
}

/**
 * The name of a command is one or two words, and options may stand before, between and after them. To see which words
 * are values of options, it must know the options of all commands.
 */
function findCommand(args: readonly string[], commands: readonly CommandDefinition[]): CommandDefinition | null {
  const definitions = Object.assign({}, ...commands.map(({ options }) => options), commonOptions);
  const { positionals } = parseArgs({
    args: [...args],
    options: toParserOptions(definitions),
    allowPositionals: true,
    strict: false,
  });
  const byLength = [...commands].sort((one, other) => other.name.length - one.name.length);
  return byLength.find(({ name }) => name.split(' ').every((word, index) => positionals[index] === word)) ?? null;
}

function parse(args: readonly string[], definitions: Readonly<Record<string, OptionDefinition>>) {
  const options = toParserOptions(definitions);
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function toParserOptions(definitions: Readonly<Record<string, OptionDefinition>>) {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, { value, short }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}

function describeUnknown([first = '', ...others]: readonly string[], commands: readonly CommandDefinition[]): string {
  const related = commands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `));
  if (related.length > 0) return `"${first}" is not complete. Its commands are: ${related.join(', ')}.`;
  return `There is no command "${[first, ...others].join(' ')}".`;
}

function readValues(values: Readonly<Record<string, unknown>>, option: string): string[] {
  return ((values[option] as unknown[] | undefined) ?? []).filter((value) => typeof value === 'string');
}

function checkParameters({ name, parameters = [] }: CommandDefinition, given: readonly string[]): void {
  const isRepeated = parameters.at(-1)?.includes('…') ?? false;
  const required = parameters.filter((parameter) => !parameter.endsWith('?'));
  const missing = required[given.length];
  if (missing !== undefined) throw new UsageError(`${name}: ${missing.replace('…', '')} is missing.`);
  if (!isRepeated && given.length > parameters.length) {
    throw new UsageError(`${name}: "${given[parameters.length]}" is too much.`);
  }
}

function checkChoices(definitions: Readonly<Record<string, OptionDefinition>>, input: CommandInput): void {
  for (const [name, { choices }] of Object.entries(definitions)) {
    const wrong = choices === undefined ? undefined : input.values(name).find((value) => !choices.includes(value));
    if (wrong !== undefined) throw new UsageError(`--${name} "${wrong}": it must be one of ${choices?.join(', ')}.`);
  }
}

/** Reads a whole number from an option. Throws a `UsageError` if it is none, or too small. */
export function readNumber(input: CommandInput, option: string, min: number): number | undefined {
  const text = input.value(option);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < min)
    throw new UsageError(`--${option} "${text}": it must be a number from ${min}.`);
  return Number(text);
}
