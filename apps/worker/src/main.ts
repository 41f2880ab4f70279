import process from 'node:process';
import { openCluster } from '@widget-service/cluster/open-cluster.ts';
import { findTlsWarning } from '@widget-service/shared/config/check-combinations.ts';
import { toClusterOptions, toLoggerOptions, toTracerOptions } from '@widget-service/shared/config/component-options.ts';
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
    const parsed = parseSettings(process.env, { app: 'worker' });
    const logger = await createLogger(toLoggerOptions(parsed.settings, process.stdout.isTTY === true));
    captureConsole((fields, text) => logger.warn(fields, text));
    report = (err) => logger.fatal({ err }, 'failed');
    const tlsWarning = findTlsWarning(parsed.settings);
    if (tlsWarning !== null) logger.warn(tlsWarning);
    const onTracingWarning = (reason: string) => logger.warn({ reason }, 'tracing.spans_lost');
    const tracer = await openTracer(toTracerOptions(parsed.settings, 'worker'), onTracingWarning);
    const backend = await openCluster({
      ...toClusterOptions(parsed),
      onNotice: (message, details) => logger.info(details ?? {}, message),
      onWarning: (message, details) => logger.warn(details ?? {}, message),
      onFatal: fail,
    });
    return openWorker(parsed.settings, backend, logger, { tracer });
  },
  (error) => report(error),
);
