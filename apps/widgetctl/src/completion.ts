import type { CommandDefinition, OptionDefinition } from './command.ts';
import { UsageError } from './failures.ts';
import { commonOptions } from './parse-command-line.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Returns the script that makes a shell complete commands, options and their values. */
export function formatCompletion(shell: Shell, commands: readonly CommandDefinition[]): string {
  const formats = { bash: formatBash, zsh: formatZsh, fish: formatFish };
  return formats[shell](commands);
}

/** The words that may follow the beginning of a name. */
function listNames(commands: readonly CommandDefinition[]): (readonly [after: string, words: readonly string[]])[] {
  const first = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  const groups = first.flatMap((word) => {
    const second = commands.flatMap(({ name }) => (name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : []));
    return second.length === 0 ? [] : [[word, second] as const];
  });
  return [['', first], ...groups];
}

function listOptions(command: CommandDefinition): [string, OptionDefinition][] {
  return Object.entries({ ...command.options, ...commonOptions });
}

function formatBash(commands: readonly CommandDefinition[]): string {
  const toCase = (pattern: string, words: readonly string[]) => `      "${pattern}") words="${words.join(' ')}" ;;`;
  const values = commands.flatMap((command) =>
    listOptions(command).flatMap(([option, { choices }]) =>
      choices === undefined ? [] : [toCase(`${command.name} --${option}`, choices)],
    ),
  );
  const names = listNames(commands).map(([after, words]) => toCase(after, words));
  const options = commands.map((command) => {
    const words = listOptions(command).map(([option]) => `--${option}`);
    return toCase(command.name, words);
  });
  return `_widgetctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" typed="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) typed="\${typed:+$typed }$word" ;; esac
  done
  # The last words may be parameters, which are no part of the name of a command.
  while :; do
    case "$typed $previous" in
${values.join('\n')}
    esac
    [ -n "$words" ] && break
    case "$typed" in
${[...names, ...options].join('\n')}
    esac
    [ -n "$words" ] && break
    case "$typed" in *" "*) typed="\${typed% *}" ;; *) break ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _widgetctl widgetctl
`;
}

/** zsh runs the completion of bash. */
function formatZsh(commands: readonly CommandDefinition[]): string {
  return `autoload -U +X bashcompinit && bashcompinit
${formatBash(commands)}`;
}

function formatFish(commands: readonly CommandDefinition[]): string {
  const isTyped = (name: string) =>
    name === ''
      ? '__fish_use_subcommand'
      : name
          .split(' ')
          .map((word) => `__fish_seen_subcommand_from ${word}`)
          .join('; and ');
  const toLine = (name: string, what: string) => `complete -c widgetctl -n '${isTyped(name)}' ${what}`;
  const names = listNames(commands).flatMap(([after, words]) => words.map((word) => toLine(after, `-a ${word}`)));
  const options = commands.flatMap((command) =>
    listOptions(command).map(([option, { value, choices }]) => {
      const needsValue = value === undefined ? '' : choices === undefined ? ' -r' : ` -xa '${choices.join(' ')}'`;
      return toLine(command.name, `-l ${option}${needsValue}`);
    }),
  );
  return `${['complete -c widgetctl -f', ...names, ...options].join('\n')}\n`;
}

/** Makes the command that prints the completion of all commands, itself included. */
export function makeCompletionCommand(listCommands: () => readonly CommandDefinition[]): CommandDefinition {
  return {
    name: 'completion',
    parameters: ['SHELL'],
    summary: 'Print a script that completes commands in bash, zsh or fish.',
    async run({ output }, input) {
      const shell = shells.find((name) => name === input.parameters[0]);
      if (shell === undefined) throw new UsageError(`SHELL must be one of ${shells.join(', ')}.`);
      const script = formatCompletion(shell, listCommands());
      output.lines(script, script.trimEnd().split('\n'));
    },
  };
}
