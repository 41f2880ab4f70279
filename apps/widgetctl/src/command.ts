import type { CommandContext } from './command-context.ts';

/** An option of the command line: `--name`, or `--name VALUE`. */
export interface OptionDefinition {
  /** What the value stands for, in capitals. Left out: the option has no value. */
  readonly value?: string;
  /** The letter of the short form. */
  readonly short?: string;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** Whether the option may be given several times. */
  readonly isRepeated?: boolean;
  readonly text: string;
}

/** One command. The help, the completion and the checks of the command line all come from here. */
export interface CommandDefinition {
  /** For example `widgets create`. */
  readonly name: string;
  /** What follows the name, in capitals. `ID?` may be left out; `ID…` is one or more, `ID…?` any number. */
  readonly parameters?: readonly string[];
  readonly options?: Readonly<Record<string, OptionDefinition>>;
  readonly summary: string;
  run(context: CommandContext, input: CommandInput): Promise<void>;
}

/** What was typed after the name of the command. */
export interface CommandInput {
  readonly parameters: readonly string[];
  /** The last value of an option, or undefined. */
  value(option: string): string | undefined;
  /** Every value of an option that may be given several times. */
  values(option: string): readonly string[];
  has(option: string): boolean;
}
