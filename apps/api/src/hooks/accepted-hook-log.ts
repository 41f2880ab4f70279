import type { Logger } from '@widget-service/shared/runtime/logger.ts';

const linesPerSecondMax = 100;

/** What the log says about an accepted hook. */
export interface AcceptedHookFields {
  readonly requestId: string;
  readonly eventId: string;
  readonly integrationId: string;
}

/**
 * Logs accepted hooks: a line `hook.accepted` for each, but at most 100 lines in a second. At the end of such a second,
 * the line `hooks.accepted` says how many hooks got no line (`unlogged`). At the level `debug` every hook gets one.
 *
 * A line for each hook would be a sixth of the processor time of accepting it.
 */
export class AcceptedHookLog {
  readonly #logger: Pick<Logger, 'info'>;
  readonly #linesMax: number;
  /** Runs while a second is being counted. */
  #timer: NodeJS.Timeout | undefined;
  #hooksInSecond = 0;

  constructor(logger: Pick<Logger, 'info' | 'isLevelEnabled'>) {
    this.#logger = logger;
    this.#linesMax = logger.isLevelEnabled('debug') ? Number.POSITIVE_INFINITY : linesPerSecondMax;
  }

  record(hook: AcceptedHookFields): void {
    this.#timer ??= setTimeout(() => this.endSecond(), 1_000).unref();
    this.#hooksInSecond += 1;
    if (this.#hooksInSecond <= this.#linesMax) this.#logger.info(hook, 'hook.accepted');
  }

  /** Ends the current second early. Call it before the process exits: otherwise its last count is lost. */
  endSecond(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unlogged = this.#hooksInSecond - this.#linesMax;
    this.#hooksInSecond = 0;
    if (unlogged > 0) this.#logger.info({ unlogged }, 'hooks.accepted');
  }
}
