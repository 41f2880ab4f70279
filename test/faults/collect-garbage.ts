/**
 * Preloaded into a process of the service (`--import`). On SIGUSR2 the process collects its garbage, so that its heap
 * size shows only what is in use.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** V8 frees compiled code that is no longer used only after several collections. */
const collections = 3;
process.on('SIGUSR2', () => {
  for (let count = 0; count < collections; count += 1) collect();
});
