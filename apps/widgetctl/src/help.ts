import { type Command, commonOptions, type OptionDefinition } from './command-line.ts';
import { UsageError } from './failures.ts';
import type { Output } from './output.ts';

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

/** Each asks `widgetctl completion SHELL -- WORDS` for what may follow the words. */
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
