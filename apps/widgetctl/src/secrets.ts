import { UsageError } from './exit-codes.ts';
import { readFileText } from './read-file.ts';

/** The secrets of commands. Each comes from the variable, or from the file that the variable with `_FILE` names. */
export type SecretVariable =
  | 'WIDGETCTL_PASSWORD'
  | 'WIDGETCTL_TOKEN'
  | 'WIDGETCTL_HOOK_URL'
  | 'WIDGETCTL_HOOK_SECRET'
  | 'WIDGETCTL_STREAM_URL';

/** Reads a secret from the environment. Resolves with undefined if it is not there. */
export async function readSecret(
  environment: Readonly<Record<string, string | undefined>>,
  variable: SecretVariable,
): Promise<string | undefined> {
  const { [variable]: value, [`${variable}_FILE`]: file } = environment;
  if (!file) return value || undefined;
  if (value) throw new UsageError(`${variable} and ${variable}_FILE are both set: set one of them.`);
  const text = await readFileText(file);
  if (text.trim() === '') throw new UsageError(`${variable}_FILE: ${file} is empty.`);
  if (text.includes('\n'))
    throw new UsageError(`${variable}_FILE: ${file} has several lines. It must hold only the secret.`);
  return text;
}
