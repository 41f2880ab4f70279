export interface BackoffOptions {
  /** The longest pause after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** The longest pause ever, in milliseconds. */
  readonly maxMs: number;
}

/**
 * Returns the pause after `failures` failures in a row (at least 1), in milliseconds. It doubles with each failure, up
 * to `maxMs`. Up to half of it is randomly cut off, so that many clients do not retry at the same time.
 */
export function backoffMs(failures: number, options: BackoffOptions): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(failures - 1, 30));
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}
