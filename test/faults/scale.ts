/** The load of a scenario with faults, and the duration of its faults. */
export interface Scale {
  readonly hooksPerSecond: number;
  readonly createsPerSecond: number;
  readonly streams: number;
  /** How long a killed Redis stays down. */
  readonly redisDownMs: number;
  /**
   * How long Redis is frozen. It is longer than the timeout of a command (1.5 s), the bound for a refusal (2 s), a read
   * of the tail (5 s) and a lock (6 s).
   */
  readonly redisFrozenMs: number;
  /** How long a link is cut, frozen or half open. */
  readonly linkDamagedMs: number;
}

/** The load for which the results in `docs/reliability.md` were recorded. */
const fullScale: Scale = {
  hooksPerSecond: 100,
  createsPerSecond: 20,
  streams: 200,
  redisDownMs: 15_000,
  redisFrozenMs: 12_000,
  linkDamagedMs: 10_000,
};

/** Fits into a quarter of an hour on two processors that also run the stores, the load balancer and the clients. */
const shortScale: Scale = {
  hooksPerSecond: 50,
  createsPerSecond: 10,
  streams: 60,
  redisDownMs: 5_000,
  redisFrozenMs: 12_000,
  linkDamagedMs: 6_000,
};

/** The variable that selects the scale. `npm run scenarios -- --long` sets it to `long`. */
export const lengthVariable = 'SCENARIO_LENGTH';
export const isLong = process.env[lengthVariable] === 'long';

/** The scale of this run. */
export const scale: Scale = isLong ? fullScale : shortScale;
