/**
 * Loaded into a process of the service before anything of its own: on SIGUSR2 it collects its garbage, so that what is
 * still in use can be told from what is not.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Code that is not run any more is let go only after several collections. */
const collections = 3;
process.on('SIGUSR2', () => {
  for (let done = 0; done < collections; done += 1) collect();
});
