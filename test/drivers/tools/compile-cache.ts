import { fileURLToPath } from 'node:url';

/**
 * The environment in which processes share what Node has compiled, so that each one after the first starts in half of
 * the processor time. Node checks each entry against its source. The folder may be deleted at any time.
 */
export const sharedCompileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/compile-cache', import.meta.url)),
} as const;
