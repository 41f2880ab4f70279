import { Badge } from '../../parts/badges.tsx';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/fields.tsx';
import { type Column, PagedTable, usePages } from '../../parts/lists.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { changeQuery, firstPage, Link, query } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';

type AuditEvent = Schemas['AuditEvent'];
type Action = AuditEvent['action'];

/** What is done, each as a filter, and as a verb between the name of an actor and that of a target. */
const actions = {
  'session.created': ['Signed in', 'signed in'],
  'session.failed': ['Failed sign-ins', 'failed to sign in'],
  'session.ended': ['Ended sessions', 'ended sessions of'],
  'password.changed': ['Changed passwords', 'changed their password'],
  'user.created': ['Created users', 'created the user'],
  'user.changed': ['Changed users', 'changed the user'],
  'subscription.created': ['Created subscriptions', 'created the subscription'],
  'subscription.changed': ['Changed subscriptions', 'changed the subscription'],
  'subscription.token-rotated': ['Rotated secrets of subscriptions', 'rotated the secret of the subscription'],
  'subscription.revoked': ['Revoked subscriptions', 'revoked the subscription'],
  'integration.created': ['Created integrations', 'created the integration'],
  'integration.changed': ['Changed integrations', 'changed the integration'],
  'integration.token-rotated': ['Rotated secrets of integrations', 'rotated the secret of the integration'],
  'integration.mapping-changed': ['Changed mappings', 'changed the mapping of the integration'],
  'integration.secrets-replaced': ['Replaced sender secrets', 'replaced the sender secrets of the integration'],
  'integration.samples-kept': [
    'Started keeping refused requests',
    'started keeping refused requests of the integration',
  ],
  'integration.samples-deleted': ['Deleted kept requests', 'deleted kept requests of the integration'],
  'integration.revoked': ['Revoked integrations', 'revoked the integration'],
  'provision-token.created': ['Created provision tokens', 'created the provision token'],
  'provision-token.changed': ['Changed provision tokens', 'changed the provision token'],
  'provision-token.token-rotated': ['Rotated secrets of provision tokens', 'rotated the secret of the provision token'],
  'provision-token.revoked': ['Revoked provision tokens', 'revoked the provision token'],
  'delivery.redriven': ['Redrove deliveries', 'redrove the delivery'],
  'delivery.discarded': ['Discarded deliveries', 'discarded the delivery'],
  'quarantined-text.discarded': ['Discarded texts in quarantine', 'discarded the text in quarantine'],
  'widget.created': ['Created widgets', 'created the widget'],
  'stream.ended': ['Ended streams', 'ended a stream of the subscription'],
  'access.refused': ['Refused access', 'was refused access'],
} as const satisfies Readonly<Record<Action, readonly [string, string]>>;

/** Instead of these verbs, if an actor did it to themselves. */
const ownVerbs: Readonly<Partial<Record<Action, string>>> = {
  'session.ended': 'ended their own sessions',
  'user.changed': 'changed their own account',
};

/** Actors without a name. */
const actors = {
  user: 'A user',
  'provision-token': 'A provision token',
  anonymous: 'Someone',
  'identity-provider': 'The identity provider',
  system: 'The service',
};

const outcomes = { refused: ['warning', 'Refused'], failed: ['bad', 'Failed'] } as const;

const actionNames = Object.entries(actions).map(([action, [name]]) => [action as Action, name] as const);

/** Who did what, newest first. The filters are in the address. */
export function AuditPage() {
  const action = actionNames.find(([each]) => each === query.value.get('action'))?.[0];
  const actorId = query.value.get('actorId');
  const targetId = query.value.get('targetId');
  const list = usePages(
    (place, signal) => {
      const filter = {
        ...place,
        pageSize: 50,
        ...(action === undefined ? {} : { action }),
        ...(actorId === null ? {} : { actorId }),
        ...(targetId === null ? {} : { targetId }),
      };
      return api.GET('/api/v1/audit-events', { params: { query: filter }, signal });
    },
    [action, actorId, targetId],
    { refreshMs: 10_000, keyOf: ({ id }) => id, timeOf: ({ occurredAt }) => occurredAt },
  );
  // With a filter all entries have this actor or target, so the first one tells its name.
  const named = list.data.value?.items[0];
  return (
    <>
      <PageHeader title="Audit log">
        <Select
          isShort
          label="Action"
          options={[['', 'All actions'], ...actionNames]}
          value={action ?? ''}
          onChange={(next) => changeQuery({ action: next, ...firstPage })}
        />
      </PageHeader>
      {actorId === null && targetId === null ? null : (
        <p class="filters">
          {actorId === null
            ? `Only entries about ${named?.targetName ?? 'one target'}.`
            : `Only entries by ${named?.actorName ?? 'one actor'}.`}
          <Button onClick={() => changeQuery({ actorId: null, targetId: null, ...firstPage })}>Show all entries</Button>
        </p>
      )}
      <PagedTable
        list={list}
        empty={{ title: 'No entries match', text: 'Choose another action, or show all entries.' }}
        label="Audit log"
        keyOf={({ id }) => id}
        columns={columns}
        namedBy={1}
      />
    </>
  );
}

const columns: readonly Column<AuditEvent>[] = [
  { title: 'When', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
  { title: 'What', cell: Sentence },
  {
    title: 'Outcome',
    cell: ({ outcome, code }) =>
      outcome === 'succeeded' ? null : (
        <>
          <Badge tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Badge> {code}
        </>
      ),
  },
  {
    title: 'Address',
    cell: ({ clientAddress }) => (clientAddress === null ? null : <span class="audit-address">{clientAddress}</span>),
  },
  { title: 'Changes', cell: Changes },
];

/** `Ines Moreau rotated the secret of Mobile app`. Both names lead to their other entries. */
function Sentence({ action, actor, actorName, target, targetName }: AuditEvent) {
  const who = actorName ?? actors[actor.kind];
  const isOwn = target !== null && target.id === actor.id;
  const verb = (isOwn ? ownVerbs[action] : undefined) ?? actions[action][1];
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
      <summary>Show</summary>
      <code class="wrapped">{changes}</code>
    </details>
  );
}

/** `role: "viewer" → "admin"`. */
function describeChanges({ before, after }: AuditEvent): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const show = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));
  return [...names].map((name) => `${name}: ${show(before?.[name])} → ${show(after?.[name])}`).join('\n');
}
