import type { Grant } from '../../entities/grant.ts';
import type { Collection } from '../../ports/collection.ts';

/** Returns the names of the grants with these ids, in one read. An id without a grant is left out. */
export async function readNames(
  grants: Pick<Collection<Grant>, 'list'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = ids.length === 0 ? [] : await grants.list({ id: { oneOf: ids } }, { offset: 0, limit: ids.length });
  return new Map(found.flatMap((grant) => (grant === null ? [] : [[grant.id, grant.name]])));
}
