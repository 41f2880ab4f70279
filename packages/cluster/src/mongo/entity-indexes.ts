import type { Entity } from '@widget-service/shared/entities/define-entity.ts';
import type { IndexDirection } from 'mongodb';

export interface IndexSpec {
  readonly name: string;
  readonly key: Readonly<Record<string, IndexDirection>>;
  readonly unique?: true;
  readonly sparse?: true;
  /** The index contains only matching documents. */
  readonly partialFilterExpression?: Readonly<Record<string, string | object>>;
  /** A TTL index. 0: MongoDB removes a document at the time in its indexed field. */
  readonly expireAfterSeconds?: 0;
}

/** Returns the field of a document that has a member. */
export function toField<T>({ documentId }: Pick<Entity<T>, 'documentId'>, path: string): string {
  return path === documentId ? '_id' : path;
}

/** Returns the indexes of an entity. */
export function listEntityIndexes<T>(entity: Entity<T>): readonly IndexSpec[] {
  const { key, documentId, indexes, unique, expires, order } = entity;
  // The `_id` has an index of its own.
  const uniqueIndexes = Object.entries({ ...unique, key: [key] }).filter(
    ([, members]) => members.join() !== documentId,
  );
  const toKey = (members: readonly string[]): Record<string, 1 | -1> =>
    Object.fromEntries(
      members.map((member) => [toField(entity, member.replace('-', '')), member.startsWith('-') ? -1 : 1]),
    );
  return [
    ...(expires === null ? [] : [{ name: 'expiry', key: toKey([expires]), expireAfterSeconds: 0 as const }]),
    ...(order.length === 0 ? [] : [{ name: 'by_age', key: toKey(order.map((member) => `-${member}`)) }]),
    ...Object.entries(indexes).map(([name, members]) => ({ name, key: toKey(members) })),
    ...uniqueIndexes.map(([name, members]) => ({
      name,
      key: toKey(members),
      unique: true as const,
      ...limitToTexts(entity, members[0] ?? ''),
    })),
  ];
}

/**
 * Limits an index to the documents that have the member, if some do not. MongoDB uses such an index for a query that
 * names a text only if it can see that the text matches the limit: so it can here, and not with `$type`.
 */
function limitToTexts<T>(entity: Entity<T>, path: string): Pick<IndexSpec, 'partialFilterExpression'> {
  return entity.mayBeAbsent(path) ? { partialFilterExpression: { [toField(entity, path)]: { $gt: '' } } } : {};
}
