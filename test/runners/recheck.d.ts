// The part of recheck that the pattern check uses. The package's own types are those of its main file, which starts
// workers.
declare module 'recheck/lib/browser.js' {
  type Diagnostics =
    | { readonly status: 'safe' }
    | { readonly status: 'vulnerable'; readonly complexity: { readonly summary: string } }
    | { readonly status: 'unknown'; readonly error: object };

  interface Parameters {
    readonly timeout: number;
    /** Null: the number of steps alone ends an attempt. */
    readonly attackTimeout: null;
    readonly incubationTimeout: null;
  }

  const recheck: {
    checkSync(source: string, flags: string, parameters: Parameters): Diagnostics;
  };
  export = recheck;
}
