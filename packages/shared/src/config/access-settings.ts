import { defineSetting } from './define-setting.ts';
import { milliseconds, wholeNumber } from './value-schemas.ts';

/** The settings of sessions and tokens: a part of `settingsTable`. */
export const accessSettings = {
  SESSION_IDLE_MS: defineSetting(milliseconds(60_000), 43_200_000, 'A session ends when it is unused for this long.'),
  TOKEN_MAX_LIFETIME_MS: defineSetting(
    wholeNumber(60_000, 315_360_000_000).nullable(),
    null,
    'How long the token of a subscription, an integration or a script may live after it was issued or rotated, from a minute to ten years. The default is without limit.',
  ),
  SESSION_LIFETIME_MS: defineSetting(
    milliseconds(60_000),
    604_800_000,
    'A session ends after this long, even if it is used.',
  ),
} as const;
