import { describeError } from '@widget-service/shared/domain/errors.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { Redis, type RedisOptions } from 'ioredis';
import { surviveSocketErrors } from './connection-errors.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** How to be admitted to a node. */
export type NodeAccess = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

/** The node that owns the slot, and its replicas. */
export interface SlotNodes {
  readonly owner: Address;
  readonly replicas: readonly Address[];
}

/** What one node of a Redis Cluster says. */
export interface NodeAnswer {
  readonly asked: Address;
  /** The owner of the slot as this node knows it. Null: it knows none. */
  readonly owner: Address | null;
  /** The owner's replicas. */
  readonly replicas: readonly Address[];
}

const answerWithinMs = 1_000;
/** A large cluster need not be asked as a whole. */
const askedAtMost = 7;

/** Finds the node of a Redis Cluster that owns the slot of all our keys. Every connection of one Redis shares it. */
export class SlotOwnerFinder {
  readonly #configured: readonly Address[];
  /** A key in the slot. */
  readonly #key: string;
  /** What was found last. */
  #known: SlotNodes | null = null;
  #search: Promise<SlotNodes> | null = null;

  constructor(configured: readonly Address[], key: string) {
    this.#configured = configured;
    this.#key = key;
  }

  /**
   * Asks several nodes, with this user and TLS. After a failover, the old owner may still believe that it is the owner,
   * so the majority of the answers counts, and the owner must answer, too. Rejects if nobody knows an owner that
   * answers: with the refusal of a node that refuses the question, otherwise with what each node said.
   */
  find(access: NodeAccess): Promise<SlotNodes> {
    this.#search ??= this.#ask(access).finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #ask(access: NodeAccess): Promise<SlotNodes> {
    const failures: { readonly asked: Address; readonly error: Error }[] = [];
    const ask = async (addresses: readonly Address[]) => {
      const answers = await Promise.all(
        addresses.map((asked) =>
          askNode(asked, this.#key, access).catch((error: Error) => {
            failures.push({ asked, error });
            return null;
          }),
        ),
      );
      return answers.filter((answer) => answer !== null);
    };
    const known = this.#known === null ? [] : [this.#known.owner, ...this.#known.replicas];
    const answers = await ask(listDistinct([...known, ...this.#configured]).slice(0, askedAtMost));
    const named = listDistinct(answers.flatMap(({ owner, replicas }) => (owner === null ? [] : [owner, ...replicas])));
    const unasked = named.filter((address) => ![...answers, ...failures].some(({ asked }) => isSame(asked, address)));
    answers.push(...(await ask(unasked.slice(0, askedAtMost))));
    const owner = chooseOwner(answers);
    if (owner === null) throw this.#explain(answers, failures);
    this.#known = { owner, replicas: answers.find(({ asked }) => isSame(asked, owner))?.replicas ?? [] };
    return this.#known;
  }

  #explain(answers: readonly NodeAnswer[], failures: readonly { asked: Address; error: Error }[]): Error {
    const refused = failures.find(({ error }) => /^(?:WRONGPASS|NOAUTH|NOPERM|ERR )/.test(error.message));
    if (refused !== undefined) return refused.error;
    const lines = [
      ...answers.map(({ asked, owner }) => `${toText(asked)} names ${owner === null ? 'none' : toText(owner)}`),
      ...failures.map(({ asked, error }) => `${toText(asked)}: ${describeError(error)}`),
    ];
    return new Error(`no node of the Redis Cluster is known to own the slot of ${this.#key} (${lines.join('; ')})`);
  }
}

/** Returns the owner that most nodes name, among those that also name themselves. Null: there is none. */
export function chooseOwner(answers: readonly NodeAnswer[]): Address | null {
  const candidates = answers.filter(({ asked, owner }) => owner !== null && isSame(asked, owner));
  const countVotes = ({ asked }: NodeAnswer) =>
    answers.filter(({ owner }) => owner !== null && isSame(owner, asked)).length;
  const [best] = candidates.sort((a, b) => countVotes(b) - countVotes(a));
  return best?.asked ?? null;
}

async function askNode(asked: Address, key: string, access: NodeAccess): Promise<NodeAnswer> {
  const redis = new Redis({
    ...access,
    ...asked,
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: answerWithinMs,
    commandTimeout: answerWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'widget-service:cluster',
  });
  surviveSocketErrors(redis);
  let connectionError: Error | null = null;
  redis.on('error', (error: Error) => {
    connectionError = error;
  });
  const question = async () => {
    await redis.connect();
    const [slot, ranges] = await Promise.all([redis.call('CLUSTER', 'KEYSLOT', key), redis.call('CLUSTER', 'SLOTS')]);
    return { asked, ...parseRanges(ranges as SlotRange[], Number(slot), asked) };
  };
  try {
    return await withDeadline(question(), 2 * answerWithinMs, `CLUSTER SLOTS of ${toText(asked)}`);
  } catch (error) {
    throw connectionError ?? error;
  } finally {
    redis.disconnect();
  }
}

/**
 * First and last slot, and the nodes that have them: the owner, then its replicas
 * (https://redis.io/commands/cluster-slots).
 */
type SlotRange = [first: number, last: number, ...nodes: [host: string | null, port: number, ...rest: unknown[]][]];

function parseRanges(ranges: readonly SlotRange[], slot: number, asked: Address): Omit<NodeAnswer, 'asked'> {
  const range = ranges.find(([first, last]) => first <= slot && slot <= last);
  const [, , ...nodes] = range ?? [0, 0];
  // A node that does not know its own address gives none, or an empty one: it is the one that we reached.
  const addresses = nodes.map(([host, port]) => ({ host: host === null || host === '' ? asked.host : host, port }));
  const [owner = null, ...replicas] = addresses;
  return { owner, replicas };
}

function listDistinct(addresses: readonly Address[]): Address[] {
  return addresses.filter((address, at) => addresses.findIndex((other) => isSame(other, address)) === at);
}

export function isSame(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port;
}

function toText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
