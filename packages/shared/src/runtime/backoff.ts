export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** 0 to 1, for tests; `Math.random` by default. */
  readonly random?: () => number;
}

/** How long to wait before try number `failures + 1`: doubling up to `maxMs`, less a random half so that many do not return at once. */
export function backoffMs(failures: number, options: BackoffOptions): number {
  const ceiling = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(failures - 1, 30));
  return ceiling / 2 + ((options.random ?? Math.random)() * ceiling) / 2;
}
