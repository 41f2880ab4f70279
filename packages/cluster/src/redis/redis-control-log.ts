import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { serializeControlEntry } from '@widget-service/shared/ports/control-text.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from './keys.ts';
import { RedisControlTail } from './redis-control-tail.ts';
import { translated } from './translate-error.ts';

/** Far more than a pod can fall behind while it runs; one that was away longer looks everything up anyway. */
const defaultMaxLength = 10_000;

export interface RedisControlLogOptions {
  /** For short calls; stays open when the log's user is done. */
  readonly redis: Redis;
  readonly keys: Pick<RedisKeys, 'control'>;
  /** Makes a connection for one tail. */
  readonly connectTail: () => Redis;
  /** How many entries are kept. */
  readonly maxLength?: number;
}

/** A Redis Stream of its own, whose entries have one field: `j`, the entry as JSON. */
export class RedisControlLog implements ControlLog {
  readonly #options: RedisControlLogOptions;
  readonly #maxLength: number;
  readonly #tails = new Set<ControlTail>();

  constructor(options: RedisControlLogOptions) {
    this.#options = options;
    this.#maxLength = options.maxLength ?? defaultMaxLength;
  }

  async announce(entry: ControlEntry): Promise<void> {
    const { redis, keys } = this.#options;
    // ioredis may send it twice when the connection breaks in between, and twice does no harm.
    const added = redis.xadd(keys.control, 'MAXLEN', this.#maxLength, '*', 'j', serializeControlEntry(entry));
    await translated(withDeadline(added, requestDeadlineMs, 'control announce'), 'control announce');
  }

  openTail(): ControlTail {
    const { keys, connectTail } = this.#options;
    const tail = new RedisControlTail({ control: keys.control, maxLength: this.#maxLength, connect: connectTail });
    this.#tails.add(tail);
    return tail;
  }

  /** Ends tails that were left open. */
  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
  }
}
