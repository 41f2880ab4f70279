import process from 'node:process';
import { openBackend } from '@widget-service/api/process/open-backend.ts';
import { openProcess } from '@widget-service/api/process/open-process.ts';
import { toLoggerOptions } from '@widget-service/shared/config/component-options.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { reportToStandardError, runProcess } from '@widget-service/shared/runtime/run-process.ts';
import { failpointFileVariable } from './failpoint.ts';
import { wrapBackend } from './wrap-backend.ts';

// With this handler, a write beyond the file size limit fails as on a full disk. Without it, the signal ends the
// process.
process.on('SIGXFSZ', () => undefined);

/** Runs the api as its own main file does, on either backend, with failpoints. */
await runProcess(async (onFatal) => {
  const parsed = parseSettings(process.env, { app: 'api', isTerminal: false });
  const logger = await createLogger(toLoggerOptions(parsed.settings));
  const backend = wrapBackend(await openBackend(parsed, logger, onFatal), process.env[failpointFileVariable] ?? '');
  const print = (text: string) => void process.stdout.write(text);
  return openProcess({ settings: parsed.settings, backend, logger, print });
}, reportToStandardError);
