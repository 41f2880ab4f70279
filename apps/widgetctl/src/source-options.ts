import type { components } from '@widget-service/client/interface.ts';
import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import type { CommandInput, OptionDefinition } from './command.ts';
import type { CommandContext } from './command-context.ts';
import { UsageError } from './failures.ts';
import { readFileText } from './read-file.ts';

type NewHookSource = components['schemas']['NewHookSource'];

/** The options that say who sends, and where the members of a hook are. */
export const sourceOptions: Readonly<Record<string, OptionDefinition>> = {
  preset: {
    value: 'PRESET',
    text: 'Who sends: github, gitlab, stripe, … or custom. Its secrets: WIDGETCTL_SOURCE_SECRETS, one a line.',
  },
  mapping: { value: 'FILE', text: 'Where the members of a hook are in its requests, in JSON.' },
  scheme: { value: 'FILE', text: 'With --preset custom: how it signs, in JSON.' },
};

/** Returns the source that the options describe; undefined without `--preset`. */
export async function readSource(context: CommandContext, input: CommandInput): Promise<NewHookSource | undefined> {
  const { preset, mapping, scheme } = Object.fromEntries(
    Object.keys(sourceOptions).map((name) => [name, input.value(name)]),
  );
  if (preset === undefined) {
    if (mapping === undefined && scheme === undefined) return undefined;
    throw new UsageError('--mapping and --scheme need --preset.');
  }
  if (mapping === undefined) throw new UsageError('--preset needs --mapping.');
  const secrets = await context.readSecretLines('WIDGETCTL_SOURCE_SECRETS');
  // The service knows the presets, and says what is wrong with a mapping: it may be newer than this command.
  return {
    preset: preset as NewHookSource['preset'],
    mapping: await readJsonFile<NewHookSource['mapping']>(context, mapping),
    ...(scheme === undefined
      ? {}
      : { scheme: await readJsonFile<NonNullable<NewHookSource['scheme']>>(context, scheme) }),
    ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
  };
}

/** Reads a file of JSON, or the standard input (`-`). Throws a `UsageError` that names it. */
export async function readJsonFile<Value>(context: CommandContext, path: string): Promise<Value> {
  const text = path === '-' ? await context.readInput() : await readFileText(path);
  try {
    return parseExactJson(text) as Value;
  } catch {
    throw new UsageError(`${path === '-' ? 'The standard input' : path} is not JSON.`);
  }
}
