import { useSignal } from '@preact/signals';
import { ProblemError } from '@widget-service/client/requests/failures.ts';
import { Search } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { isEventId, toVerdict, type Verdict } from './hook-verdict.ts';

type Delivery = Schemas['Delivery'];

const refreshMs = 3_000;

/** Answers whether a hook of the sender arrived. What is looked for is in the address, so that the answer is a link. */
export function FindHook({ integrationId }: { readonly integrationId: string }) {
  const { find } = texts.hooks;
  const wanted = query.value.get('hook') ?? '';
  const typed = useSignal(wanted);
  const id = useId();
  return (
    <section class="find-hook" aria-label={find.title}>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          changeQuery({ hook: typed.peek().trim() });
        }}
      >
        <label class="visually-hidden" for={id}>
          {find.label}
        </label>
        <input
          id={id}
          class="input"
          type="search"
          placeholder={find.label}
          data-shortcut="/"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            // The cross of the field empties it.
            if (currentTarget.value === '') changeQuery({ hook: null });
          }}
        />
        <Button type="submit">
          <Icon of={Search} />
          {find.submit}
        </Button>
      </form>
      {wanted === '' ? null : <Answer integrationId={integrationId} wanted={wanted} />}
    </section>
  );
}

/** Looks again while the hook may still arrive or be published. */
function Answer({ integrationId, wanted }: { readonly integrationId: string; readonly wanted: string }) {
  const read = useResource((signal) => look(integrationId, wanted, signal), [integrationId, wanted], { refreshMs });
  return (
    <div class="verdict" role="status">
      <ReadState read={read} />
      {read.data.value === null ? null : <VerdictText verdict={read.data.value} integrationId={integrationId} />}
    </div>
  );
}

async function look(id: string, wanted: string, signal: AbortSignal): Promise<Verdict> {
  const params = { path: { id }, query: { webhookId: wanted, pageSize: 10 } };
  const [byId, byWebhookId, refusals] = await Promise.all([
    isEventId(wanted) ? findDelivery(id, wanted, signal) : null,
    api.GET('/api/v1/integrations/{id}/deliveries', { params, signal }),
    api.GET('/api/v1/integrations/{id}/refusals', { params, signal }),
  ]);
  return toVerdict(byId ?? byWebhookId.items[0] ?? null, refusals.items);
}

/** Null: there is none with this event id. */
async function findDelivery(id: string, eventId: string, signal: AbortSignal): Promise<Delivery | null> {
  const params = { path: { id, eventId } };
  try {
    return await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', { params, signal });
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}

function VerdictText({ verdict, integrationId }: { readonly verdict: Verdict; readonly integrationId: string }) {
  const { find } = texts.hooks;
  if (verdict.kind === 'never') return <Outcome tone="quiet" title={find.never} text={find.neverText} />;
  if (verdict.kind === 'refused') {
    const { refusedAt, detail, errors, clientAddress } = verdict.refusal;
    const mistakes = errors.map(({ pointer, detail: mistake }) => `${pointer ?? ''} ${mistake}`).join(' ');
    return (
      <Outcome tone="warning" title={find.refused} text={`${detail} ${mistakes}`.trim()}>
        <FullTime at={refusedAt} /> {clientAddress === null ? '' : find.from(clientAddress)}
      </Outcome>
    );
  }
  const { eventId, state, reason, receivedAt } = verdict.delivery;
  return (
    <Outcome
      tone={state === 'dead' ? 'bad' : state === 'received' ? 'info' : 'good'}
      title={find.arrived[state]}
      text={reason === null ? '' : texts.hooks.reasons[reason]}
    >
      <FullTime at={receivedAt} /> {verdict.refusedBefore === 0 ? '' : `${find.refusedBefore(verdict.refusedBefore)} `}
      <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>{find.view}</Link>
    </Outcome>
  );
}

interface OutcomeProperties {
  readonly tone: 'good' | 'info' | 'warning' | 'bad' | 'quiet';
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

function Outcome({ tone, title, text, children }: OutcomeProperties) {
  return (
    <div class={`outcome outcome-${tone}`}>
      <p>
        <strong>{title}</strong> {text}
      </p>
      {children === undefined ? null : <p class="small">{children}</p>}
      <p class="muted small">{texts.hooks.find.looked}</p>
    </div>
  );
}
