/**
 * Writes the URL of every module that this process loads to the file in `RECORDED_MODULES_FILE`, one a line. For
 * `node --import`.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import process from 'node:process';

const file = process.env.RECORDED_MODULES_FILE ?? '';
registerHooks({
  load: (url, context, nextLoad) => {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
