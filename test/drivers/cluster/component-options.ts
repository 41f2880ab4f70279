import type { FanOutOptions } from '@widget-service/api/streams/fan-out/fan-out.ts';
import type { ParsedSettings } from '@widget-service/shared/config/parse-settings.ts';

/** What scenarios change in a process that they start, and no setting. Left out: the constant of the component. */
export interface ComponentOptions extends Partial<FanOutOptions> {
  readonly outboxScanAgeMs?: number;
  readonly backlogSharePercent?: number;
  readonly connectionsPerPod?: number;
  readonly eventRetentionCount?: number;
  readonly isLogPretty?: boolean;
}

const prefix = 'COMPONENT_OPTION_';

/** Returns the options as variables, one for each, so that they can be merged with other variables of the process. */
export function setOptions(options: ComponentOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [`${prefix}${name}`, `${value}`]));
}

export function hasOptions(environment: Readonly<Record<string, string>>): boolean {
  return Object.keys(environment).some((name) => name.startsWith(prefix));
}

/** Reads what `setOptions` wrote. */
export function readOptions(environment: Readonly<Record<string, string | undefined>>): ComponentOptions {
  const given = Object.entries(environment).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(given.map(([name, value]) => [name.slice(prefix.length), JSON.parse(value ?? 'null')]));
}

/**
 * Returns settings with which the event log keeps `count` events: it keeps one per KiB of its bytes. The setting allows
 * no value as small as scenarios need.
 */
export function limitRetention(parsed: ParsedSettings, count: number | undefined): ParsedSettings {
  if (count === undefined) return parsed;
  return { ...parsed, settings: { ...parsed.settings, EVENT_RETENTION_BYTES: count * 1_024 } };
}
