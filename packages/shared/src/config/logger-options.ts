import type { LoggerOptions } from '../runtime/logger.ts';
import type { Settings } from './settings.ts';

/** What the settings say of the log. */
export function loggerOptionsOf(settings: Settings): LoggerOptions {
  return { level: settings.LOG_LEVEL, isPretty: settings.LOG_FORMAT === 'pretty' };
}
