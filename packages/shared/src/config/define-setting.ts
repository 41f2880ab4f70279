import type { z } from 'zod';

/** What a default may depend on. */
export interface DefaultContext {
  readonly backend: 'embedded' | 'cluster';
  readonly app: 'api' | 'worker';
  /** The value of `HOST`, given or default. */
  readonly host: string;
}

export interface Setting<T> {
  /** Parses the text of the variable. Its error messages say which values are allowed. */
  readonly schema: z.ZodType<T>;
  readonly defaultValue: T | ((context: DefaultContext) => T);
  /** One line for the documentation. */
  readonly description: string;
  /** True if the service must never print the configured value. */
  readonly isSecret?: true;
}

/** Defines a setting that is not a secret, with one line for the documentation. */
export function defineSetting<T>(
  schema: z.ZodType<T>,
  defaultValue: NoInfer<T> | ((context: DefaultContext) => NoInfer<T>),
  description: string,
): Setting<T> {
  return { schema, defaultValue, description };
}

/** Defines a setting whose value no log line and no message may show. */
export function defineSecret<T>(...definition: Parameters<typeof defineSetting<T>>): Setting<T> & { isSecret: true } {
  return { ...defineSetting(...definition), isSecret: true };
}
