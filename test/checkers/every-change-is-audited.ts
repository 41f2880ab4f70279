import type { Evidence } from './evidence.ts';

/**
 * C11: each create of a person that was answered 201, and each revocation that was answered 204, has exactly one audit
 * event that succeeded and names its target. Creates of scripts have none: the request log names their token.
 */
export const everyChangeIsAudited = ({ recording, stored }: Pick<Evidence, 'recording' | 'stored'>): string[] => {
  const changes = new Set<string>();
  for (const { isByPerson, answer } of recording.creates)
    if (isByPerson && answer !== null) changes.add(`widget.created of ${(JSON.parse(answer) as { id: string }).id}`);
  for (const { subscriptionId, acknowledgedAtMs } of recording.revocations)
    if (acknowledgedAtMs !== null) changes.add(`subscription.revoked of ${subscriptionId}`);
  for (const { integrationId, acknowledgedAtMs } of recording.tokenRevocations)
    if (acknowledgedAtMs !== null) changes.add(`integration.revoked of ${integrationId}`);
  const listed = Map.groupBy(
    stored.auditEvents.filter(({ outcome }) => outcome === 'succeeded'),
    ({ action, targetId }) => `${action} of ${targetId}`,
  );
  return [...changes].flatMap((change) => {
    const count = listed.get(change)?.length ?? 0;
    return count === 1 ? [] : [`${change} has ${count} audit events`];
  });
};
