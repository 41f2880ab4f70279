import { useSignal } from '@preact/signals';
import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/fields.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { firstPage, PagedList, usePages } from '../../parts/paged-list.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type AuditEvent = Schemas['AuditEvent'];
type Action = AuditEvent['action'];
const tones = { refused: 'warning', failed: 'bad' } as const;

const auditActions = Object.keys(texts.access.actions) as Action[];

/** Who did what, newest first. The filters are in the address. */
export function AuditPage() {
  const { access } = texts;
  const action = auditActions.find((name) => name === query.value.get('action'));
  const actorId = query.value.get('actorId');
  const targetId = query.value.get('targetId');
  const list = usePages(
    ({ page, asOf }, signal) => {
      const filter = {
        page,
        pageSize: 50,
        ...(action === undefined ? {} : { action }),
        ...(actorId === null ? {} : { actorId }),
        ...(targetId === null ? {} : { targetId }),
        ...(asOf === null ? {} : { to: asOf }),
      };
      return api.GET('/api/v1/audit-events', { params: { query: filter }, signal });
    },
    [action, actorId, targetId],
    { refreshMs: 10_000, keyOf: ({ id }) => id, timeOf: ({ occurredAt }) => occurredAt },
  );
  // All entries that are shown have the same one.
  const named = list.data.value?.items[0];
  return (
    <>
      <PageHeader title={access.audit}>
        <Select
          isShort
          label={access.action}
          options={[['', access.allActions], ...auditActions.map((name) => [name, access.actions[name]] as const)]}
          value={action ?? ''}
          onChange={(next) => changeQuery({ action: next, ...firstPage })}
        />
      </PageHeader>
      {actorId === null && targetId === null ? null : (
        <p class="filters">
          {actorId === null ? access.onlyTarget(named?.targetName ?? null) : access.onlyActor(named?.actorName ?? null)}
          <Button onClick={() => changeQuery({ actorId: null, targetId: null, ...firstPage })}>
            {access.allEntries}
          </Button>
        </p>
      )}
      <PagedList list={list} empty={{ title: access.auditEmptyTitle, text: access.auditEmpty }}>
        {(events) => <AuditTable events={events} isEverything={action === undefined} />}
      </PagedList>
    </>
  );
}

interface AuditTableProperties {
  readonly events: readonly AuditEvent[];
  /** Whether no action was chosen. Then those of the console itself are left out, until somebody wants them. */
  readonly isEverything: boolean;
}

function AuditTable({ events, isEverything }: AuditTableProperties) {
  const { access } = texts;
  const showsAll = useSignal(false);
  const isOwn = ({ action, outcome }: AuditEvent) => action === 'personal-stream.issued' && outcome === 'succeeded';
  const hidden = isEverything && !showsAll.value ? events.filter(isOwn).length : 0;
  return (
    <>
      {hidden === 0 ? null : (
        <p class="filters muted">
          {access.hiddenEntries(hidden)}
          <Button kind="quiet" onClick={() => (showsAll.value = true)}>
            {access.showHidden}
          </Button>
        </p>
      )}
      <Table
        label={access.audit}
        rows={hidden === 0 ? events : events.filter((event) => !isOwn(event))}
        keyOf={({ id }) => id}
        namedBy={1}
        columns={[
          { title: access.when, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
          { title: access.what, cell: Sentence },
          {
            title: access.outcome,
            cell: ({ outcome, code }) =>
              outcome === 'succeeded' ? null : (
                <>
                  <Badge tone={tones[outcome]}>{access.outcomes[outcome]}</Badge> {code}
                </>
              ),
          },
          {
            title: access.address,
            cell: ({ clientAddress }) =>
              clientAddress === null ? null : <span class="audit-address">{clientAddress}</span>,
          },
          { title: access.changes, cell: Changes },
        ]}
      />
    </>
  );
}

/** `Ines Moreau rotated the token of the integration Mobile app`. Both names lead to their other entries. */
function Sentence({ action, actor, actorName, target, targetName }: AuditEvent) {
  const { access } = texts;
  const who = actorName ?? access.actors[actor.kind];
  const isOwn = target !== null && target.id === actor.id;
  const verb = (isOwn ? access.ownVerbs[action] : undefined) ?? access.verbs[action];
  return (
    <span class="audit-sentence">
      {actor.id === null ? <strong>{who}</strong> : <Name to={`actorId=${actor.id}`} id={actor.id} name={who} />} {verb}{' '}
      {target === null || isOwn ? null : <Name to={`targetId=${target.id}`} id={target.id} name={targetName} />}
    </span>
  );
}

/** Without a name, the end of the id, which tells ids apart. */
function Name({ to, id, name }: { readonly to: string; readonly id: string; readonly name: string | null }) {
  return <Link to={`/access/audit?${to}`}>{name === null ? <code>…{id.slice(-12)}</code> : <bdi>{name}</bdi>}</Link>;
}

/** Closed at first: most readers look for who and what. */
function Changes(event: AuditEvent) {
  const changes = describeChanges(event);
  if (changes === '') return null;
  return (
    <details class="audit-changes">
      <summary>{texts.access.showChanges}</summary>
      <code class="wrapped">{changes}</code>
    </details>
  );
}

/** `role: viewer → admin`. */
function describeChanges({ before, after }: AuditEvent): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const show = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));
  return [...names].map((name) => `${name}: ${show(before?.[name])} → ${show(after?.[name])}`).join('\n');
}
