import type { CommandDefinition, OptionDefinition } from './command.ts';
import { commonOptions } from './parse-command-line.ts';

/** Returns the lines of the overview of all commands. */
export function formatOverview(commands: readonly CommandDefinition[]): string[] {
  return [
    'widgetctl: Widget Service at the command line',
    '',
    'Usage: widgetctl COMMAND [OPTIONS], with the options in any place. After --, nothing is an option.',
    '',
    'Commands:',
    ...alignPairs(commands.map((command) => [formatSyntax(command), command.summary])),
    '',
    'Options of every command:',
    ...alignPairs(listOptions(commonOptions)),
    '',
    'Help for one command: widgetctl COMMAND --help',
  ];
}

/** Returns the lines of the help for one command. */
export function formatCommandHelp(command: CommandDefinition): string[] {
  const options = listOptions(command.options ?? {});
  return [
    command.summary,
    '',
    `Usage: widgetctl ${formatSyntax(command)} [OPTIONS]`,
    ...(options.length === 0 ? [] : ['', 'Options:', ...alignPairs(options)]),
    '',
    'Options of every command:',
    ...alignPairs(listOptions(commonOptions)),
  ];
}

function formatSyntax({ name, parameters = [] }: CommandDefinition): string {
  const words = parameters.map((parameter) => (parameter.endsWith('?') ? `[${parameter.slice(0, -1)}]` : parameter));
  return [name, ...words].join(' ');
}

function listOptions(options: Readonly<Record<string, OptionDefinition>>): [string, string][] {
  return Object.entries(options).map(([name, { value, short, text, choices, isRepeated }]) => {
    const notes = [
      choices === undefined ? '' : ` One of: ${choices.join(', ')}.`,
      isRepeated ? ' Can be repeated.' : '',
    ];
    const prefix = short === undefined ? '' : `-${short}, `;
    return [`${prefix}--${name}${value === undefined ? '' : ` ${value}`}`, text + notes.join('')];
  });
}

function alignPairs(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
