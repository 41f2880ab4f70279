import process from 'node:process';
import { openCluster } from '@widget-service/cluster/open-cluster.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { reportToStandardError, runProcess } from '@widget-service/shared/runtime/run-process.ts';
import { openWorker } from '@widget-service/worker/worker.ts';
import { limitRetention, readOptions } from '../../drivers/cluster/component-options.ts';
import { shortLocksVariable } from './failpoint.ts';
import { wrapBackend } from './wrap-backend.ts';

/** Other workers notice a lost worker after about 2 s instead of 10 s to 15 s. */
const shortLocks = { timing: { lockDurationMs: 1_500, stalledIntervalMs: 400, drainDelaySeconds: 0.5 } };

/** Runs the worker as its own main file does, on a backend with failpoints, and with options of components. */
await runProcess(async (onFatal) => {
  const { outboxScanAgeMs, eventRetentionCount, isLogPretty } = readOptions(process.env);
  const { settings, isProduction } = limitRetention(parseSettings(process.env, { app: 'worker' }), eventRetentionCount);
  const logger = await createLogger({ level: settings.LOG_LEVEL, isPretty: isLogPretty === true });
  const onWarning = (message: string, details?: object) => logger.warn(details ?? {}, message);
  const locks = process.env[shortLocksVariable] === 'true' ? shortLocks : {};
  const backend = await openCluster({ ...settings, migrate: !isProduction, ...locks, onWarning, onFatal });
  return openWorker(settings, wrapBackend(backend, process.env), logger, undefined, outboxScanAgeMs);
}, reportToStandardError);
