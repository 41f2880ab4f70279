/** How much a scenario with faults is put under, and for how long its faults last. */
export interface Scale {
  readonly hooksPerSecond: number;
  readonly createsPerSecond: number;
  readonly streams: number;
  /** How long Redis is away after a kill. */
  readonly redisAwayMs: number;
  /** How long Redis is frozen: longer than a command (1.5 s), a refusal (2 s), a tail (5 s) and a lock (6 s) last. */
  readonly redisFrozenMs: number;
  /** How long a link or a server is cut or stalled. */
  readonly linkDamagedMs: number;
}

/** What the promise is proven under. */
const fullScale: Scale = {
  hooksPerSecond: 100,
  createsPerSecond: 20,
  streams: 200,
  redisAwayMs: 15_000,
  redisFrozenMs: 12_000,
  linkDamagedMs: 10_000,
};

/** What fits into a quarter of an hour on two processors that also run the stores, the balancer and the clients. */
const shortScale: Scale = {
  hooksPerSecond: 50,
  createsPerSecond: 10,
  streams: 60,
  redisAwayMs: 5_000,
  redisFrozenMs: 12_000,
  linkDamagedMs: 6_000,
};

/** The variable that tells scenarios how long they may be; `npm run scenarios -- --long` sets it to `long`. */
export const lengthVariable = 'SCENARIO_LENGTH';
export const isLong = process.env[lengthVariable] === 'long';

/** The scale of this run. */
export const scale: Scale = isLong ? fullScale : shortScale;
