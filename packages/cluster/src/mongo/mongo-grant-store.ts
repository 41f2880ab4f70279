import { createRowReader, type Shape } from '@widget-service/shared/adapters/row-reader.ts';
import {
  integrationShape,
  provisionTokenShape,
  subscriptionShape,
} from '@widget-service/shared/adapters/row-shapes.ts';
import type { Grant, GrantToken, PreviousToken } from '@widget-service/shared/domain/grant.ts';
import type { HookSource } from '@widget-service/shared/domain/hook-source.ts';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type {
  GrantSelection,
  GrantStore,
  Integration,
  ProvisionToken,
  Subscription,
} from '@widget-service/shared/ports/grant-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db, Filter, MatchKeysAndValues, WithId } from 'mongodb';
import type { OnWarning } from '../redis/targets.ts';
import { deleteDocument } from './delete-document.ts';
import { collectionNames } from './indexes.ts';
import { insertOwn, runPortCall, runRead } from './translate-error.ts';

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
  readonly shape: Shape<Grant & Own>;
  readonly read: (document: Readonly<Record<string, unknown>>) => Own;
  /** Converts members of a grant to those of its document. Left out: they are the same. */
  readonly write?: (members: object) => object;
}

/** The grants of one kind: one document each, in the kind's collection. */
export function createMongoGrantStore<Own extends object, Changes extends object>(
  db: Db,
  kind: GrantKind<Own>,
  onWarning?: OnWarning,
): GrantStore<Grant & Own, Changes> {
  const rows = createRowReader({
    of: kind.collection,
    identify: ({ _id }: WithId<GrantDocument>) => _id,
    convert: toGrant,
    shape: kind.shape,
    onWarning,
  });
  const grants = db.collection<GrantDocument>(kind.collection);
  const write = <Members extends object>(members: Members) => (kind.write?.(members) ?? members) as Members;

  function findOne(filter: Filter<GrantDocument>): Promise<(Grant & Own) | null> {
    return runRead(`find ${kind.displayName}`, async () => {
      return rows.readIfAny(await grants.findOne(filter, { maxTimeMS }));
    });
  }

  function set(
    filter: Filter<GrantDocument>,
    members: MatchKeysAndValues<GrantDocument>,
  ): Promise<(Grant & Own) | null> {
    return runPortCall(`change ${kind.displayName}`, async () => {
      return rows.readIfAny(await grants.findOneAndUpdate(filter, { $set: members }, { returnDocument: 'after' }));
    });
  }

  function toGrant(document: WithId<GrantDocument>): Grant & Own {
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
      ...kind.read({ ...document }),
    };
  }

  return {
    insert: (grant) => runPortCall(`insert ${kind.displayName}`, () => insertOwn(grants, toDocument(write(grant)))),
    findByTokenDigest: (digest, validAt) => {
      if (validAt === undefined) {
        return findOne({ $or: [{ tokenDigest: digest }, { 'previousToken.digest': digest }] });
      }
      const previous = { 'previousToken.digest': digest, 'previousToken.expiresAt': { $gt: validAt } };
      return findOne({
        $and: [
          { $or: [{ tokenDigest: digest }, previous] },
          { $or: [{ expiresAt: null }, { expiresAt: { $gt: validAt } }] },
        ],
      });
    },
    get: (id) => findOne({ _id: id }),
    getNames: (ids) => runRead(`find names of ${kind.displayName}`, () => readNames(grants, ids)),
    list: async (selection, range) =>
      rows.readList(await runRead(`list ${kind.displayName}`, () => readPage(grants, selection, range))),
    count: (selection, atMost) =>
      runRead(`count ${kind.displayName}`, () =>
        grants.countDocuments(toQuery(selection), { limit: atMost, maxTimeMS }),
      ),
    update: (id, changes) =>
      Object.keys(changes).length === 0 ? findOne({ _id: id }) : set({ _id: id }, { ...write(changes) }),
    replaceTokens: (id, replacement) => {
      const { replaced, token, tokenIssuedAt, previousToken, expiry } = replacement;
      const members = { ...toTokenMembers(token), tokenIssuedAt, previousToken: copyPreviousToken(previousToken) };
      const filter = { _id: id, ...toTokenMembers(replaced.token), ...toPreviousFilter(replaced.previousToken) };
      if (expiry === undefined) return set(filter, members);
      return set({ ...filter, expiresAt: expiry.replaced }, { ...members, expiresAt: expiry.value });
    },
    endPreviousToken: async (id, digest) =>
      (await set({ _id: id, 'previousToken.digest': digest }, { previousToken: null })) !== null,
    remove: (id) => runPortCall(`remove ${kind.displayName}`, () => deleteDocument(grants, { _id: id })),
    recordLastUsed: (id, at) =>
      runPortCall(`record the last use of ${kind.displayName}`, async () => {
        await grants.updateOne({ _id: id }, { $max: { lastUsedAt: at } });
      }),
  };
}

function readPage(grants: Collection<GrantDocument>, selection: GrantSelection, { offset, limit }: RowRange) {
  const sort = { createdAt: -1, _id: -1 } as const;
  return grants.find(toQuery(selection), { sort, skip: offset, limit, maxTimeMS }).toArray();
}

async function readNames(
  grants: Collection<GrantDocument>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const options = { projection: { name: 1 }, batchSize: ids.length + 1, maxTimeMS };
  const documents = await grants.find({ _id: { $in: [...ids] } }, options).toArray();
  return new Map(documents.flatMap(({ _id, name }) => (typeof name === 'string' ? [[_id, name]] : [])));
}

function toDocument<Own extends object>(grant: Grant & Own): GrantDocument {
  const { id, token, previousToken, ...members } = grant;
  return { _id: id, ...toTokenMembers(token), previousToken: copyPreviousToken(previousToken), ...members };
}

function toTokenMembers({ digest, sealedSecret }: GrantToken) {
  return { tokenDigest: digest, sealedSecret };
}

function toPreviousFilter(previous: GrantToken | null): Filter<GrantDocument> {
  if (previous === null) return { previousToken: null };
  return { 'previousToken.digest': previous.digest, 'previousToken.sealedSecret': previous.sealedSecret };
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
  shape: subscriptionShape,
  read: ({ filter }) => ({ filter: filter as Subscription['filter'] }),
};

/** The source is a text: the names of its members may be any text of a sender, such as `$where`. */
export const integrationKind: GrantKind<Pick<Integration, 'deduplicateByContent' | 'rate' | 'source'>> = {
  collection: collectionNames.integrations,
  displayName: 'an integration',
  shape: integrationShape,
  read: ({ deduplicateByContent, rate, source = null }) => ({
    deduplicateByContent: deduplicateByContent as boolean,
    rate: rate as number | null,
    // Documents of earlier versions have none.
    source: source === null ? null : (JSON.parse(source as string) as HookSource),
  }),
  write: (members) =>
    'source' in members && members.source !== null ? { ...members, source: JSON.stringify(members.source) } : members,
};

export const provisionTokenKind: GrantKind<Pick<ProvisionToken, 'permissions'>> = {
  collection: collectionNames.provisionTokens,
  displayName: 'a provision token',
  shape: provisionTokenShape,
  read: ({ permissions }) => ({ permissions: permissions as ProvisionToken['permissions'] }),
};

function toQuery({ createdBefore, expiresBefore, name }: GrantSelection) {
  return {
    ...(createdBefore === undefined ? {} : { createdAt: { $lt: createdBefore } }),
    ...(expiresBefore === undefined ? {} : { expiresAt: { $lt: expiresBefore } }),
    ...(name === undefined ? {} : { name: { $regex: toContainsPattern(name) } }),
  };
}

/** Returns a pattern for texts that contain this one. The option `i` would also ignore the case of other letters. */
function toContainsPattern(text: string): string {
  return text
    .replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    .replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}
