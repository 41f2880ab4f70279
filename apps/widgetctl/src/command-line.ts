import { parseArgs } from 'node:util';
import type { Context } from './context.ts';
import { UsageError } from './failures.ts';
import type { Output } from './output.ts';

/** An option of the command line: `--name`, or `--name VALUE`. */
export interface OptionDefinition {
  /** What the value stands for, in capitals. Default: the option has no value. */
  readonly value?: string;
  /** The letter of the short form. */
  readonly short?: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** The least value, for a whole number. */
  readonly min?: number;
  /** Whether the option may be given several times. */
  readonly isRepeated?: boolean;
  /** The member of the body, or of the query, that gets the value. */
  readonly member?: string;
  readonly text: string;
}

type Options = Readonly<Record<string, OptionDefinition>>;

/** One command. The help, the completion and the checks of the command line all come from here. */
export interface Command {
  /** For example `widgets create`. */
  readonly name: string;
  /** What follows the name, in capitals. `ID?` may be left out; `ID…` is one or more, `ID…?` any number. */
  readonly parameters: readonly string[];
  readonly options: Options;
  readonly summary: string;
  run(context: Context, input: Input): unknown;
}

/** Options as the table of commands writes them: `'limit N'` has a value, `'all'` has none. A text is enough. */
export type OptionRows = Readonly<Record<string, string | OptionDefinition>>;

/** Makes a command from a row such as `widgets get ID`. */
export function makeCommand(syntax: string, summary: string, rows: OptionRows, run: Command['run']): Command {
  const words = syntax.split(' ');
  const isParameter = (word: string) => /^[A-Z]/.test(word);
  const options = Object.entries(rows).map(([key, row]): [string, OptionDefinition] => {
    const [name = '', value] = key.split(' ');
    return [name, { ...(typeof row === 'string' ? { text: row } : row), ...(value !== undefined && { value }) }];
  });
  return {
    name: words.filter((word) => !isParameter(word)).join(' '),
    parameters: words.filter(isParameter),
    options: Object.fromEntries(options),
    summary,
    run,
  };
}

/** What was typed after the name of a command. */
export interface Input {
  readonly parameters: readonly string[];
  /** The last value of an option, or undefined. */
  value(option: string): string | undefined;
  /** The last value of an option that is a whole number. */
  number(option: string): number | undefined;
  /** Every value of an option that may be given several times. */
  values(option: string): readonly string[];
  has(option: string): boolean;
}

/** Options of every command. */
const commonOptions: Options = {
  url: { value: 'URL', text: 'The service. Default: WIDGETCTL_URL, else http://127.0.0.1:8080.' },
  json: { text: 'Print each result as one line of JSON.' },
  'no-color': { text: 'Print no colours. The default if the output is no terminal, or NO_COLOR is set.' },
  help: { short: 'h', text: 'Print help.' },
  version: { text: 'Print the version.' },
};

/**
 * Finds the command and checks what follows it. Throws a `UsageError` that names the mistake. The command is undefined
 * if only common options were given.
 */
export function parseCommandLine(args: readonly string[], commands: readonly Command[]) {
  // Options may stand before, between and after the words of a name. So all options of all commands are known here.
  const everyOption = Object.assign({}, ...commands.map(({ options }) => options), commonOptions);
  const words = parse(args, everyOption, false).positionals;
  const isTyped = ({ name }: Command) => name.split(' ').every((word, index) => words[index] === word);
  const command = commands.find(isTyped);
  const options: Options = { ...command?.options, ...commonOptions };
  const { values, positionals } = parse(args, options, true);
  const readValues = (option: string) => (values[option] ?? []).filter((value) => typeof value === 'string');
  const input: Input = {
    parameters: positionals.slice(command?.name.split(' ').length ?? 0),
    value: (option) => readValues(option).at(-1),
    number: (option) => (input.has(option) ? Number(input.value(option)) : undefined),
    values: readValues,
    has: (option) => values[option] !== undefined,
  };
  if (!input.has('help') && !input.has('version')) {
    if (command !== undefined) check(command, options, input);
    else if (positionals.length > 0) throw new UsageError(describeUnknown(positionals, commands));
  }
  return { command, input };
}

function parse(args: readonly string[], options: Options, strict: boolean) {
  const parserOptions = Object.entries(options).map(([name, { value, short }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: true as const, ...(short && { short }) }] as const;
  });
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(parserOptions),
      allowPositionals: true,
      strict,
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function describeUnknown(words: readonly string[], commands: readonly Command[]): string {
  const related = commands.map(({ name }) => name).filter((name) => name.startsWith(`${words[0]} `));
  if (related.length === 0) return `There is no command "${words.join(' ')}".`;
  return `"${words[0]}" is not complete. Its commands are: ${related.join(', ')}.`;
}

function check({ name, parameters }: Command, options: Options, input: Input): void {
  const given = input.parameters;
  const missing = parameters.filter((parameter) => !parameter.endsWith('?'))[given.length];
  if (missing !== undefined) throw new UsageError(`${name}: ${missing.replace('…', '')} is missing.`);
  if (given.length > parameters.length && !parameters.at(-1)?.includes('…')) {
    throw new UsageError(`${name}: "${given[parameters.length]}" is too much.`);
  }
  for (const [option, { choices, min }] of Object.entries(options)) {
    for (const value of input.values(option)) {
      const what = `--${option} "${value}": it must be`;
      if (choices?.includes(value) === false) throw new UsageError(`${what} one of ${choices.join(', ')}.`);
      if (min !== undefined && (!/^\d{1,9}$/.test(value) || Number(value) < min)) {
        throw new UsageError(`${what} a number from ${min}.`);
      }
    }
  }
}

/** Returns the lines of the help for one command, or of the overview of all. */
export function formatHelp(commands: readonly Command[], command: Command | undefined): string[] {
  const common = ['', 'Options of every command:', ...alignPairs(listOptions(commonOptions))];
  if (command !== undefined) {
    const options = listOptions(command.options);
    return [
      command.summary,
      '',
      `Usage: widgetctl ${formatSyntax(command)} [OPTIONS]`,
      ...(options.length === 0 ? [] : ['', 'Options:', ...alignPairs(options)]),
      ...common,
    ];
  }
  return [
    'widgetctl: Widget Service at the command line',
    '',
    'Usage: widgetctl COMMAND [OPTIONS], with the options in any place. After --, nothing is an option.',
    '',
    'Commands:',
    ...alignPairs(commands.map((each) => [formatSyntax(each), each.summary])),
    ...common,
    '',
    'Help for one command: widgetctl COMMAND --help',
  ];
}

function formatSyntax({ name, parameters }: Command): string {
  const words = parameters.map((parameter) => (parameter.endsWith('?') ? `[${parameter.slice(0, -1)}]` : parameter));
  return [name, ...words].join(' ');
}

function listOptions(options: Readonly<Record<string, OptionDefinition>>): [string, string][] {
  return Object.entries(options).map(([name, { value, short, text, choices, isRepeated }]) => [
    `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
    text + (choices ? ` One of: ${choices.join(', ')}.` : '') + (isRepeated ? ' Can be repeated.' : ''),
  ]);
}

function alignPairs(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/** The completion script of each shell, which asks `widgetctl completion SHELL -- WORDS` what may follow. */
export const scripts: Readonly<Record<string, string>> = {
  bash: `_widgetctl() {
  local IFS=$'\\n'
  COMPREPLY=($(widgetctl completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _widgetctl widgetctl`,
  fish: `complete -c widgetctl -f -a '(widgetctl completion fish -- (commandline -opc)[2..] (commandline -ct))'`,
};

/** Prints the script of a shell, or the words that may follow. zsh runs the completion of bash. */
export function printCompletion(
  output: Output,
  [shell = '', ...words]: readonly string[],
  commands: readonly Command[],
) {
  const script = shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${scripts.bash}` : scripts[shell];
  if (script === undefined) throw new UsageError('SHELL must be one of bash, zsh, fish.');
  const lines = words.length > 0 ? completeWords(words, commands) : script.split('\n');
  if (output.isJson) output.result(`${lines.join('\n')}\n`);
  else for (const line of lines) output.line(line);
}

/** Returns what the last of these words may become: values of an option, words of a name, or options. */
export function completeWords(words: readonly string[], commands: readonly Command[]): string[] {
  const current = words.at(-1) ?? '';
  const typed = words.slice(0, -1);
  const names = typed.filter((word) => !word.startsWith('-'));
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => names[index] === word));
  const options = { ...command?.options, ...commonOptions };
  const choices = options[typed.at(-1)?.replace(/^--/, '') ?? '']?.choices;
  const next = commands.map(({ name }) => name.split(' ')).filter((name) => names.every((word, i) => name[i] === word));
  const follows = next.flatMap((name) => name[names.length] ?? []);
  const offered = choices ?? (follows.length > 0 ? follows : Object.keys(options).map((option) => `--${option}`));
  return [...new Set(offered)].filter((word) => word.startsWith(current));
}
