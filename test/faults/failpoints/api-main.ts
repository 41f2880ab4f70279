import process from 'node:process';
import { openBackend } from '@widget-service/api/process/open-backend.ts';
import { openProcess } from '@widget-service/api/process/open-process.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { printText } from '@widget-service/shared/runtime/log-output.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { reportToStandardError, runProcess } from '@widget-service/shared/runtime/run-process.ts';
import { limitRetention, readOptions } from '../../drivers/cluster/component-options.ts';
import { wrapBackend } from './wrap-backend.ts';

// With this handler, a write beyond the file size limit fails as on a full disk. Without it, the signal ends the
// process.
process.on('SIGXFSZ', () => undefined);

/** Runs the api as its own main file does, on either backend, with failpoints and with options of components. */
await runProcess(async (onFatal) => {
  const { outboxScanAgeMs, backlogSharePercent, connectionsPerPod, eventRetentionCount, isLogPretty, ...fanOut } =
    readOptions(process.env);
  const parsed = limitRetention(parseSettings(process.env, { app: 'api' }), eventRetentionCount);
  const { settings } = parsed;
  const logger = await createLogger({ level: settings.LOG_LEVEL, isPretty: isLogPretty === true });
  const backend = wrapBackend(await openBackend(parsed, logger, onFatal), process.env);
  const overrides = {
    fanOut,
    ...(backlogSharePercent === undefined ? {} : { groupCommit: { sharePercent: backlogSharePercent } }),
    ...(connectionsPerPod === undefined ? {} : { connectionsPerPod }),
    ...(outboxScanAgeMs === undefined ? {} : { outboxScanAgeMs }),
  };
  return openProcess({ settings, backend, logger, overrides }, printText);
}, reportToStandardError);
