import process from 'node:process';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { captureConsole, printText } from '@widget-service/shared/runtime/log-output.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { reportToStandardError, runProcess } from '@widget-service/shared/runtime/run-process.ts';
import { openTracer } from '@widget-service/shared/tracing/open-tracer.ts';
import { openBackend } from './process/open-backend.ts';
import { openProcess } from './process/open-process.ts';

/** Standard error, until the settings are parsed and there is a logger. */
let report = reportToStandardError;

await runProcess(
  async (fail) => {
    // biome-ignore lint/style/noProcessEnv: settings are parsed here, once.
    const parsed = parseSettings(process.env, { app: 'api' });
    const { settings } = parsed;
    const logger = await createLogger({ level: settings.LOG_LEVEL, isPretty: process.stdout.isTTY === true });
    captureConsole((fields, text) => logger.warn(fields, text));
    report = (err) => logger.fatal({ err }, 'failed');
    const onTracingWarning = (reason: string) => logger.warn({ reason }, 'tracing.spans_lost');
    const tracer = await openTracer(settings, 'widget-api', onTracingWarning);
    const backend = await openBackend(parsed, logger, fail);
    return openProcess({ settings, backend, logger, tracer }, printText);
  },
  (error) => report(error),
);
