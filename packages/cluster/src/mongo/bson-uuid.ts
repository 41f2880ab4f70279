import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import { UUID } from 'mongodb';

/**
 * Ids of widgets and deliveries are stored as the 16 bytes they are: less than half of the text in every index, and
 * in the same order as the lower-case text. Null for a text that is no UUID, and that therefore nothing can have.
 */
export function toBsonUuid(text: string): UUID | null {
  const uuid = parseUuid(text);
  return uuid === null ? null : new UUID(uuid);
}

/** The ids that can be in the store at all. */
export function toBsonUuids(texts: readonly string[]): UUID[] {
  return texts.map(toBsonUuid).filter((uuid) => uuid !== null);
}
