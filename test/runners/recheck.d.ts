// The part of recheck that the pattern check uses. Only the package's main file has types, and it starts workers.
declare module 'recheck/lib/browser.js' {
  import type { Diagnostics, Parameters } from 'recheck';

  const recheck: {
    checkSync(source: string, flags: string, parameters?: Parameters): Diagnostics;
  };
  export = recheck;
}
