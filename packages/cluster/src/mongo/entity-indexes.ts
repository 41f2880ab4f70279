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

/** Returns the field of a document that has a member: the key is its `_id`. */
export function toField<T>({ key }: Pick<Entity<T>, 'key'>, path: string): string {
  return path === key ? '_id' : path;
}

/** Returns the indexes of an entity. The index of a unique member has no document in which the member is null. */
export function listEntityIndexes<T>(entity: Entity<T>): readonly IndexSpec[] {
  const { indexes, unique, expires, order } = entity;
  const toKey = (members: readonly string[]): Record<string, 1 | -1> =>
    Object.fromEntries(
      members.map((member) => [toField(entity, member.replace('-', '')), member.startsWith('-') ? -1 : 1]),
    );
  const texts = (member: string) => ({ partialFilterExpression: { [toField(entity, member)]: { $type: 'string' } } });
  return [
    ...(expires === null ? [] : [{ name: 'expiry', key: toKey([expires]), expireAfterSeconds: 0 as const }]),
    ...(order.length === 0 ? [] : [{ name: 'by_age', key: toKey(order.map((member) => `-${member}`)) }]),
    ...Object.entries(indexes).map(([name, members]) => ({ name, key: toKey(members) })),
    ...Object.entries(unique).map(([name, member]) => ({
      name,
      key: toKey([member]),
      unique: true as const,
      ...(entity.mayBeNull(member) ? texts(member) : {}),
    })),
  ];
}
