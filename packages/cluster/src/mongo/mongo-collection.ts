import { setTimeout as delay } from 'node:timers/promises';
import { RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ListedRow, RowRange } from '@widget-service/shared/domain/page.ts';
import type { Entity } from '@widget-service/shared/entities/define-entity.ts';
import type { Collection, Condition, Where } from '@widget-service/shared/ports/collection.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import type { Db, Document, Collection as DriverCollection, Filter } from 'mongodb';
import type { OnWarning } from '../redis/redis-failover.ts';
import { toField } from './indexes.ts';
import { insertRepeatably, isDuplicateKey, runPortCall, runRead } from './translate-error.ts';

const maxTimeMS = requestDeadlineMs;

/** `_id` is the entity's `documentId`. All other members have their names, and their times are of the type Date. */
interface EntityDocument extends Document {
  _id: string;
  /** Raised by each change. Absent before the first one. */
  revision?: number;
}

/** Stores the entities of one kind in a MongoDB collection. Its indexes are in indexes.ts. */
export class MongoCollection<T extends object> implements Collection<T> {
  readonly #entity: Entity<T>;
  readonly #documents: DriverCollection<EntityDocument>;
  readonly #rows: RowReader<EntityDocument, T>;
  readonly #sort: Readonly<Record<string, -1>>;

  constructor(db: Db, entity: Entity<T>, onWarning?: OnWarning) {
    this.#entity = entity;
    this.#documents = db.collection<EntityDocument>(entity.name);
    const identify = (document: EntityDocument) => document[toField(entity, entity.namedBy)];
    const convert = (document: EntityDocument) => entity.decode({ ...document, [entity.documentId]: document._id });
    this.#rows = new RowReader({ of: entity.name, identify, convert }, onWarning);
    this.#sort = Object.fromEntries(entity.order.map((member) => [toField(entity, member), -1]));
  }

  insert(members: T): Promise<boolean> {
    const encoded = this.#entity.encode(members);
    const { [this.#entity.documentId]: _id, ...others } = encoded;
    const own = this.#byKey(String(encoded[this.#entity.key]));
    const insert = (isRepeated: boolean) =>
      this.#documents.insertOne({ _id: String(_id), ...others }).then(
        () => true,
        async (error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
          // The first attempt may have inserted it.
          return isRepeated && (await this.#documents.findOne(own, { maxTimeMS })) !== null;
        },
      );
    return runPortCall(`insert into ${this.#entity.name}`, () => insertRepeatably(insert));
  }

  get(key: string): Promise<T | null> {
    return runRead(`read one of ${this.#entity.name}`, () => this.#findOne(this.#byKey(key)));
  }

  find(...alternatives: readonly Where<T>[]): Promise<T | null> {
    const filters = alternatives.map((where) => toFilter(this.#entity, where));
    const [filter = {}] = filters.length === 1 ? filters : [{ $or: filters }];
    return runRead(`find in ${this.#entity.name}`, () => this.#findOne(filter as Filter<EntityDocument>));
  }

  list(where: Where<T>, { offset, limit }: RowRange): Promise<ListedRow<T>[]> {
    const { unlisted } = this.#entity;
    const projection = unlisted === null ? {} : { projection: { [unlisted]: 0 } };
    // One answer has the whole page.
    const options = { sort: this.#sort, skip: offset, limit, batchSize: limit, maxTimeMS, ...projection };
    return runRead(`list ${this.#entity.name}`, async () => {
      const documents = await this.#documents.find(toFilter(this.#entity, where), options).toArray();
      return this.#rows.readList(
        unlisted === null ? documents : documents.map((each) => ({ ...each, [unlisted]: '' })),
      );
    });
  }

  count(where: Where<T>, atMost: number): Promise<number> {
    const filter = toFilter(this.#entity, where);
    return runRead(`count ${this.#entity.name}`, () =>
      this.#documents.countDocuments(filter, { limit: atMost, maxTimeMS }),
    );
  }

  change(key: string, decide: (current: T) => Partial<T> | null): Promise<T | null> {
    const operation = `change one of ${this.#entity.name}`;
    return runPortCall(operation, async () => {
      for (const end = performance.now() + requestDeadlineMs; performance.now() < end; ) {
        const changed = await this.#tryChange(key, decide);
        if (changed !== 'again') return changed;
        // A random pause, so that two racing changes do not race again.
        await delay(Math.random() * 10);
      }
      throw new UnavailableError(`MongoDB, ${operation}: others changed it all the time`);
    });
  }

  /**
   * Looks again after a count of 0: FerretDB 2.7 returns 0, and keeps the document, when an update of it commits while
   * `deleteOne` runs. `deleteMany` has no such error, but the driver does not retry it after a failover.
   */
  remove(key: string): Promise<boolean> {
    const own = this.#byKey(key);
    return runPortCall(`remove one of ${this.#entity.name}`, async () => {
      do {
        if ((await this.#documents.deleteOne(own)).deletedCount === 1) return true;
      } while ((await this.#documents.findOne(own, { projection: { _id: 1 }, maxTimeMS })) !== null);
      return false;
    });
  }

  removeAll(where: Where<T>): Promise<void> {
    return runPortCall(`remove from ${this.#entity.name}`, async () => {
      await this.#documents.deleteMany(toFilter(this.#entity, where));
    });
  }

  async #tryChange(key: string, decide: (current: T) => Partial<T> | null): Promise<T | null | 'again'> {
    const document = await this.#documents.findOne(this.#byKey(key), { maxTimeMS });
    const changes = document === null ? null : decide(this.#rows.read(document));
    if (document === null || changes === null) return null;
    const { _id, revision = { $exists: false } } = document;
    const unchanged = { _id, revision } as Filter<EntityDocument>;
    const $set = this.#entity.encode(changes);
    try {
      // Not findOneAndUpdate: FerretDB 2.7 answers it with another code if a unique member is taken.
      const { matchedCount } = await this.#documents.updateOne(unchanged, { $set, $inc: { revision: 1 } });
      return matchedCount === 1 ? this.#rows.read({ ...document, ...$set }) : 'again';
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  #byKey(key: string): Filter<EntityDocument> {
    return { [toField(this.#entity, this.#entity.key)]: key };
  }

  async #findOne(filter: Filter<EntityDocument>): Promise<T | null> {
    return this.#rows.readIfAny(await this.#documents.findOne(filter, { maxTimeMS }));
  }
}

function toFilter<T>(entity: Entity<T>, where: Where<T>): Filter<EntityDocument> {
  return Object.fromEntries(
    Object.entries<Condition | undefined>(where).flatMap(([path, condition]) => {
      const operators = condition === undefined ? {} : toOperators(condition);
      return isEmpty(operators) ? [] : [[toField(entity, path), operators]];
    }),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Date) && Object.keys(value).length === 0;
}

function toOperators(condition: Condition): unknown {
  if (condition === null || typeof condition !== 'object' || condition instanceof Date) return condition;
  const { above, atLeast, below, not, oneOf, contains } = condition;
  return withoutUndefined({
    $gt: above,
    $gte: atLeast,
    $lt: below,
    $ne: not,
    $in: oneOf,
    $regex: contains === undefined ? undefined : toPattern(contains),
  });
}

/** Returns a pattern for a part of a text. The option `i` does not fit: only A to Z match in either case. */
function toPattern(text: string): string {
  return text
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function withoutUndefined(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
