import type { Settings } from './settings.ts';

interface RateLimitSetting {
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** What the settings say of rates; null stands for no limit. */
export function rateLimitsOf(settings: Settings) {
  return {
    hooks: limitOf(settings.HOOK_RATE_PER_SECOND, settings.HOOK_BURST),
    api: limitOf(settings.API_RATE_PER_SECOND, settings.API_BURST),
  };
}

function limitOf(ratePerSecond: number, burst: number): RateLimitSetting | null {
  return ratePerSecond === 0 || burst === 0 ? null : { ratePerSecond, burst };
}
