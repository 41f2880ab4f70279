import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Badge } from '../parts/badges.tsx';
import { Button } from '../parts/button.tsx';
import { Time } from '../parts/time.tsx';
import { api } from '../service/service.ts';
import { readServiceMs } from '../service/service-clock.ts';
import { useResource } from '../service/use-resource.ts';
import { may } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { EndOldSecretDialog } from './end-old-secret-dialog.tsx';
import { findIssuer, toIssueQuery } from './find-issue.ts';
import { formatUntil } from './format-until.ts';
import { type Grant, type GrantPath, hasOldSecret } from './grant-kind.ts';

interface SecretProperties {
  readonly path: GrantPath;
  readonly grant: Grant;
}

/** When the secret of a grant was issued and by whom, and the secret from before, while that works. */
export function listSecretFacts(
  path: GrantPath,
  grant: Grant,
  onEnded: () => void,
): readonly (readonly [string, ComponentChildren])[] {
  const { grants } = texts;
  const issued = [grants.secretIssued, <SecretIssued key="issued" path={path} grant={grant} />] as const;
  if (!hasOldSecret(grant, readServiceMs())) return [issued];
  return [issued, [grants.oldSecret, <OldSecret key="old" path={path} grant={grant} onEnded={onEnded} />]];
}

/** `2 min ago by Ines Moreau`. The audit log knows the name. */
function SecretIssued({ path, grant }: SecretProperties) {
  const read = useResource(
    async (signal) =>
      may('audit:read')
        ? (await api.GET('/api/v1/audit-events', { params: { query: toIssueQuery(path, grant) }, signal })).items
        : [],
    [path, grant.id, grant.tokenIssuedAt],
  );
  const name = findIssuer(read.data.value ?? []);
  return (
    <>
      <Time at={grant.tokenIssuedAt} />
      {name === null ? null : (
        <>
          {' '}
          {texts.grants.by} <bdi>{name}</bdi>
        </>
      )}
    </>
  );
}

function OldSecret({ path, grant, onEnded }: SecretProperties & { readonly onEnded: () => void }) {
  const { grants } = texts;
  const isAsking = useSignal(false);
  return (
    <span class="old-secret">
      <Badge tone="warning">
        {grants.validUntil} {formatUntil(Date.parse(grant.previousExpiresAt ?? ''), readServiceMs())}
      </Badge>
      <Button onClick={() => (isAsking.value = true)}>{grants.endNow}</Button>
      {isAsking.value ? (
        <EndOldSecretDialog path={path} grant={grant} onEnded={onEnded} onClose={() => (isAsking.value = false)} />
      ) : null}
    </span>
  );
}
