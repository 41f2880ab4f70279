import process from 'node:process';
import { openCluster } from '@widget-service/cluster/open-cluster.ts';
import { findTlsWarning } from '@widget-service/shared/config/check-combinations.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { captureConsole } from '@widget-service/shared/runtime/log-output.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { reportToStandardError, runProcess } from '@widget-service/shared/runtime/run-process.ts';
import { openTracer } from '@widget-service/shared/tracing/open-tracer.ts';
import { openWorker } from './worker.ts';

/** Standard error, until the settings are parsed and there is a logger. */
let report = reportToStandardError;

await runProcess(
  async (fail) => {
    // biome-ignore lint/style/noProcessEnv: settings are parsed here, once.
    const { settings, isProduction } = parseSettings(process.env, { app: 'worker' });
    const logger = await createLogger({ level: settings.LOG_LEVEL, isPretty: process.stdout.isTTY === true });
    captureConsole((fields, text) => logger.warn(fields, text));
    report = (err) => logger.fatal({ err }, 'failed');
    const tlsWarning = findTlsWarning(settings);
    if (tlsWarning !== null) logger.warn(tlsWarning);
    const onTracingWarning = (reason: string) => logger.warn({ reason }, 'tracing.spans_lost');
    const tracer = await openTracer(settings, 'widget-worker', onTracingWarning);
    const backend = await openCluster({
      ...settings,
      // In production, `npm run migrate` builds the indexes before a release: over many documents that takes long.
      migrate: !isProduction,
      onNotice: (message, details) => logger.info(details ?? {}, message),
      onWarning: (message, details) => logger.warn(details ?? {}, message),
      onFatal: fail,
    });
    return openWorker(settings, backend, logger, tracer);
  },
  (error) => report(error),
);
