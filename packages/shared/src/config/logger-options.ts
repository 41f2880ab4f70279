import type { LoggerOptions } from '../runtime/logger.ts';
import type { Settings } from './settings.ts';

/** What the settings say of the log; `pretty` lines are made by pino-pretty, which the app must have installed. */
export function loggerOptionsOf(settings: Settings): LoggerOptions {
  const level = settings.LOG_LEVEL;
  if (settings.LOG_FORMAT === 'json') return { level };
  return {
    level,
    transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' } },
  };
}
