import { useSignal } from '@preact/signals';
import { Search } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { FullTime } from '../../parts/time.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { describeRefusal } from './describe-refusal.ts';
import { findHook, findHookEverywhere } from './hook-search.ts';
import type { Verdict } from './hook-verdict.ts';

const refreshMs = 3_000;

interface FindHookProperties {
  /** Null: in all integrations. */
  readonly integrationId: string | null;
}

/** Answers whether a hook of the sender arrived. What is looked for is in the address, so that the answer is a link. */
export function FindHook({ integrationId }: FindHookProperties) {
  const { find } = texts.hooks;
  const wanted = query.value.get('hook') ?? '';
  const typed = useSignal(wanted);
  const id = useId();
  const asked = useRef(wanted);
  // Something else than this field may ask: the palette, or the way back. What is typed meanwhile stays.
  useEffect(() => {
    if (asked.current === wanted) return;
    asked.current = wanted;
    typed.value = wanted;
  }, [wanted]);
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
      {wanted === '' ? null : integrationId === null ? (
        <AnswerOfAll wanted={wanted} />
      ) : (
        <Answer integrationId={integrationId} wanted={wanted} />
      )}
    </section>
  );
}

/** Looks again while the hook may still arrive or be published. */
function Answer({ integrationId, wanted }: { readonly integrationId: string; readonly wanted: string }) {
  const read = useResource((signal) => findHook(integrationId, wanted, signal), [integrationId, wanted], { refreshMs });
  return (
    <div class="verdict" role="status">
      <ReadState read={read} />
      {read.data.value === null ? null : (
        <VerdictText
          verdict={read.data.value}
          integrationId={integrationId}
          never={texts.hooks.find.never}
          looked={texts.hooks.find.looked}
        />
      )}
    </div>
  );
}

/** Looks once: it takes a few requests for each integration. */
function AnswerOfAll({ wanted }: { readonly wanted: string }) {
  const { find } = texts.hooks;
  const read = useResource((signal) => findHookEverywhere(wanted, signal), [wanted]);
  const answer = read.data.value;
  if (answer === null) {
    return (
      <div class="verdict" role="status">
        <ReadState read={read} />
      </div>
    );
  }
  const { found, lookedIn, all } = answer;
  const looked = find.lookedIn(lookedIn, all);
  return (
    <div class="verdict" role="status">
      {found.length === 0 ? (
        <Outcome tone="quiet" title={find.neverAnywhere} text={find.neverText} looked={looked} />
      ) : (
        found.map(({ integration, verdict }) => (
          <VerdictText
            key={integration.id}
            verdict={verdict}
            integrationId={integration.id}
            integration={integration}
            never={find.neverAnywhere}
            looked={looked}
          />
        ))
      )}
    </div>
  );
}

interface VerdictTextProperties {
  readonly verdict: Verdict;
  readonly integrationId: string;
  /** Named and linked. Left out on its own page. */
  readonly integration?: Schemas['Integration'];
  /** Said of a hook that never arrived. */
  readonly never: string;
  readonly looked: string;
}

function VerdictText({ verdict, integrationId, integration, never, looked }: VerdictTextProperties) {
  const { find } = texts.hooks;
  const toIntegration =
    integration === undefined ? null : (
      <>
        {' · '}
        <Link to={`/hooks/${integrationId}`}>
          <bdi>{integration.name}</bdi>
        </Link>
      </>
    );
  if (verdict.kind === 'never') return <Outcome tone="quiet" title={never} text={find.neverText} looked={looked} />;
  if (verdict.kind === 'refused') {
    const { refusal } = verdict;
    const { refusedAt, clientAddress } = refusal;
    return (
      <Outcome tone="warning" title={find.refused} text={describeRefusal(refusal)} looked={looked}>
        <FullTime at={refusedAt} /> {clientAddress === null ? '' : find.from(clientAddress)}
        {toIntegration}
      </Outcome>
    );
  }
  const { eventId, state, reason, receivedAt } = verdict.delivery;
  return (
    <Outcome
      tone={state === 'dead' ? 'bad' : state === 'received' ? 'info' : 'good'}
      title={find.arrived[state]}
      text={reason === null ? '' : texts.hooks.reasons[reason]}
      looked={looked}
    >
      <FullTime at={receivedAt} /> {verdict.refusedBefore === 0 ? '' : `${find.refusedBefore(verdict.refusedBefore)} `}
      <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>{find.view}</Link>
      {toIntegration}
    </Outcome>
  );
}

interface OutcomeProperties {
  readonly tone: 'good' | 'info' | 'warning' | 'bad' | 'quiet';
  readonly title: string;
  readonly text: string;
  /** Where it was looked for. */
  readonly looked: string;
  readonly children?: ComponentChildren;
}

function Outcome({ tone, title, text, looked, children }: OutcomeProperties) {
  return (
    <div class={`outcome outcome-${tone}`}>
      <p>
        <strong>{title}</strong> {text}
      </p>
      {children === undefined ? null : <p class="small">{children}</p>}
      <p class="muted small">{looked}</p>
    </div>
  );
}
