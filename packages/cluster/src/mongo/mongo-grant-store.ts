import type { Grant, GrantToken, PreviousToken } from '@widget-service/shared/domain/grant.ts';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type {
  GrantSelection,
  GrantStore,
  Integration,
  ProvisionToken,
  Subscription,
  TokenReplacement,
} from '@widget-service/shared/ports/grant-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db, Filter, MatchKeysAndValues, WithId } from 'mongodb';
import { deleteDocument } from './delete-document.ts';
import { collectionNames } from './indexes.ts';
import { runPortCall } from './translate-error.ts';

const maxTimeMS = requestDeadlineMs;

/** The members of every grant. */
interface GrantDocument {
  /** The id. */
  _id: string;
  name: string;
  tokenDigest: string;
  sealedSecret: string | null;
  tokenIssuedAt: Date;
  previousToken: PreviousToken | null;
  expiresAt: Date | null;
  createdAt: Date;
  createdBy: string;
  lastUsedAt: Date | null;
}

/** A kind of grant. `Own` are the members that only this kind has. */
export interface GrantKind<Own extends object> {
  readonly collection: string;
  /** Names the kind in error messages. */
  readonly displayName: string;
  /** Reads the kind's own members from a document. */
  readonly read: (document: Readonly<Record<string, unknown>>) => Own;
}

/** The grants of one kind: one document each, in the kind's collection. */
export class MongoGrantStore<Own extends object, Changes extends object> implements GrantStore<Grant & Own, Changes> {
  readonly #grants: Collection<GrantDocument>;
  readonly #kind: GrantKind<Own>;

  constructor(db: Db, kind: GrantKind<Own>) {
    this.#grants = db.collection<GrantDocument>(kind.collection);
    this.#kind = kind;
  }

  insert(grant: Grant & Own): Promise<void> {
    return runPortCall(`insert ${this.#kind.displayName}`, async () => {
      await this.#grants.insertOne(toDocument(grant));
    });
  }

  findByTokenDigest(digest: string, validAt?: Date): Promise<(Grant & Own) | null> {
    if (validAt === undefined) {
      return this.#findOne({ $or: [{ tokenDigest: digest }, { 'previousToken.digest': digest }] });
    }
    const previous = { 'previousToken.digest': digest, 'previousToken.expiresAt': { $gt: validAt } };
    return this.#findOne({
      $and: [
        { $or: [{ tokenDigest: digest }, previous] },
        { $or: [{ expiresAt: null }, { expiresAt: { $gt: validAt } }] },
      ],
    });
  }

  get(id: string): Promise<(Grant & Own) | null> {
    return this.#findOne({ _id: id });
  }

  list(selection: GrantSelection, { offset, limit }: RowRange): Promise<(Grant & Own)[]> {
    return runPortCall(`list ${this.#kind.displayName}`, async () => {
      const sort = { createdAt: -1, _id: -1 } as const;
      const documents = await this.#grants.find(toQuery(selection), { sort, skip: offset, limit, maxTimeMS }).toArray();
      return documents.map((document) => this.#toGrant(document));
    });
  }

  count(selection: GrantSelection, atMost: number): Promise<number> {
    return runPortCall(`count ${this.#kind.displayName}`, () =>
      this.#grants.countDocuments(toQuery(selection), { limit: atMost, maxTimeMS }),
    );
  }

  update(id: string, changes: Changes): Promise<(Grant & Own) | null> {
    return Object.keys(changes).length === 0 ? this.get(id) : this.#set({ _id: id }, { ...changes });
  }

  replaceTokens(id: string, replacement: TokenReplacement): Promise<(Grant & Own) | null> {
    const { replacedDigest, token, tokenIssuedAt, previousToken, expiry } = replacement;
    const members = { ...toTokenMembers(token), tokenIssuedAt, previousToken: copyPreviousToken(previousToken) };
    const filter = { _id: id, tokenDigest: replacedDigest };
    if (expiry === undefined) return this.#set(filter, members);
    return this.#set({ ...filter, expiresAt: expiry.replaced }, { ...members, expiresAt: expiry.value });
  }

  remove(id: string): Promise<boolean> {
    return runPortCall(`remove ${this.#kind.displayName}`, () => deleteDocument(this.#grants, { _id: id }));
  }

  recordLastUsed(id: string, at: Date): Promise<void> {
    return runPortCall(`record the last use of ${this.#kind.displayName}`, async () => {
      await this.#grants.updateOne({ _id: id }, { $max: { lastUsedAt: at } });
    });
  }

  #findOne(filter: Filter<GrantDocument>): Promise<(Grant & Own) | null> {
    return runPortCall(`find ${this.#kind.displayName}`, async () => {
      const document = await this.#grants.findOne(filter, { maxTimeMS });
      return document === null ? null : this.#toGrant(document);
    });
  }

  #set(filter: Filter<GrantDocument>, members: MatchKeysAndValues<GrantDocument>): Promise<(Grant & Own) | null> {
    return runPortCall(`change ${this.#kind.displayName}`, async () => {
      const changed = await this.#grants.findOneAndUpdate(filter, { $set: members }, { returnDocument: 'after' });
      return changed === null ? null : this.#toGrant(changed);
    });
  }

  #toGrant(document: WithId<GrantDocument>): Grant & Own {
    return {
      id: document._id,
      name: document.name,
      token: { digest: document.tokenDigest, sealedSecret: document.sealedSecret },
      tokenIssuedAt: document.tokenIssuedAt,
      previousToken: copyPreviousToken(document.previousToken),
      expiresAt: document.expiresAt,
      createdAt: document.createdAt,
      createdBy: document.createdBy,
      lastUsedAt: document.lastUsedAt,
      ...this.#kind.read({ ...document }),
    };
  }
}

function toDocument<Own extends object>(grant: Grant & Own): GrantDocument {
  const { id, token, previousToken, ...members } = grant;
  return { _id: id, ...toTokenMembers(token), previousToken: copyPreviousToken(previousToken), ...members };
}

function toTokenMembers({ digest, sealedSecret }: GrantToken) {
  return { tokenDigest: digest, sealedSecret };
}

/** Copies only these members, so that no other one is stored or returned. */
function copyPreviousToken(previous: PreviousToken | null): PreviousToken | null {
  if (previous === null) return null;
  const { digest, sealedSecret, expiresAt } = previous;
  return { digest, sealedSecret, expiresAt };
}

export const subscriptionKind: GrantKind<Pick<Subscription, 'filter'>> = {
  collection: collectionNames.subscriptions,
  displayName: 'a subscription',
  read: ({ filter }) => ({ filter: filter as Subscription['filter'] }),
};

export const integrationKind: GrantKind<Pick<Integration, 'deduplicateByContent' | 'rate'>> = {
  collection: collectionNames.integrations,
  displayName: 'an integration',
  read: ({ deduplicateByContent, rate }) => ({
    deduplicateByContent: deduplicateByContent as boolean,
    rate: rate as number | null,
  }),
};

export const provisionTokenKind: GrantKind<Pick<ProvisionToken, 'permissions'>> = {
  collection: collectionNames.provisionTokens,
  displayName: 'a provision token',
  read: ({ permissions }) => ({ permissions: permissions as ProvisionToken['permissions'] }),
};

function toQuery({ createdBefore, expiresBefore }: GrantSelection) {
  return {
    ...(createdBefore === undefined ? {} : { createdAt: { $lt: createdBefore } }),
    ...(expiresBefore === undefined ? {} : { expiresAt: { $lt: expiresBefore } }),
  };
}
