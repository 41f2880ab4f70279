import { type Signal, useSignal } from '@preact/signals';
import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { useRef } from 'preact/hooks';
import { ChangeGrantDialog, NewGrantDialog } from '../../grants/grant-form.tsx';
import type { IssuedGrant } from '../../grants/grant-kind.ts';
import { rows } from '../../live/shared-widgets.ts';
import { CheckBox, TextField } from '../../parts/fields.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type EventFilter = Schemas['NewEventFilter'];

/** What the fields of the filter hold. */
interface FilterValues {
  readonly types: readonly NonNullable<EventFilter['types']>[number][];
  readonly states: readonly NonNullable<EventFilter['states']>[number][];
  /** Separated by commas, as are the ids. */
  readonly labels: string;
  readonly widgetIds: string;
}

const noFilter: FilterValues = { types: [], states: [], labels: '', widgetIds: '' };

interface NewSubscriptionProperties {
  readonly onClose: () => void;
  readonly onCreated: (issued: IssuedGrant) => void;
}

export function NewSubscription({ onClose, onCreated }: NewSubscriptionProperties) {
  const values = useSignal(noFilter);
  return (
    <NewGrantDialog
      title={texts.streams.create}
      draftName="new-subscription"
      onCreate={(grant) => api.POST('/api/v1/subscriptions', { body: { ...grant, filter: toFilter(values.value) } })}
      onCreated={onCreated}
      onClose={onClose}
    >
      <FilterFields values={values} />
    </NewGrantDialog>
  );
}

interface ChangeSubscriptionProperties {
  readonly subscription: Schemas['Subscription'];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes the name, expiry and filter. Open streams take the new filter at once. */
export function ChangeSubscription({ subscription, onChanged, onClose }: ChangeSubscriptionProperties) {
  const { current: before } = useRef({ filter: subscription.filter, values: fromFilter(subscription.filter) });
  const values = useSignal(before.values);
  const readFilter = () => {
    if (values.value === before.values) return {};
    const filter = toFilter(values.value);
    // A label may contain a comma: labels that nobody has changed must not be split.
    return {
      filter: values.value.labels === before.values.labels ? { ...filter, labels: before.filter.labels } : filter,
    };
  };
  return (
    <ChangeGrantDialog
      grant={subscription}
      onChange={(changes) =>
        api.PATCH('/api/v1/subscriptions/{id}', {
          params: { path: { id: subscription.id } },
          body: { ...changes, ...readFilter() },
        })
      }
      onChanged={onChanged}
      onClose={onClose}
    >
      <FilterFields values={values} />
    </ChangeGrantDialog>
  );
}

/** The fields of a filter, and how many widgets would pass it now. */
function FilterFields({ values }: { readonly values: Signal<FilterValues> }) {
  const { streams, widgets } = texts;
  const { types, states, labels, widgetIds } = values.value;
  const change = (changes: Partial<FilterValues>) => (values.value = { ...values.value, ...changes });
  const filter = toFilter(values.value);
  const matching = rows.value.filter((widget) => passesFilter(widget, filter)).length;
  return (
    <fieldset class="fieldset">
      <legend>{streams.filter}</legend>
      <p class="hint">{streams.filterHint}</p>
      <Choices
        label={streams.types}
        names={['widget.created', 'widget.updated', 'widget.retired']}
        texts={streams.typeNames}
        chosen={types}
        onChange={(next) => change({ types: next })}
      />
      <Choices
        label={streams.states}
        names={['active', 'retired']}
        texts={widgets.states}
        chosen={states}
        onChange={(next) => change({ states: next })}
      />
      <TextField
        label={streams.labels}
        hint={streams.labelsHint}
        pointer="/filter/labels"
        value={labels}
        onInput={(text) => change({ labels: text })}
      />
      <TextField
        label={streams.widgetIds}
        hint={streams.widgetIdsHint}
        pointer="/filter/widgetIds"
        wrongForm={streams.widgetIdsWrong}
        value={widgetIds}
        onInput={(text) => change({ widgetIds: text })}
      />
      <p class="hint" role="status">
        {streams.preview(matching, rows.value.length)}
      </p>
    </fieldset>
  );
}

interface ChoicesProperties<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly texts: Readonly<Record<Name, string>>;
  readonly chosen: readonly Name[];
  readonly onChange: (chosen: readonly Name[]) => void;
}

function Choices<Name extends string>({ label, names, texts, chosen, onChange }: ChoicesProperties<Name>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be read with both legends.
    <div class="choices" role="group" aria-label={label}>
      <strong>{label}</strong>
      {names.map((name) => (
        <CheckBox
          key={name}
          label={texts[name]}
          checked={chosen.includes(name)}
          onChange={(isChosen) => onChange(isChosen ? [...chosen, name] : chosen.filter((other) => other !== name))}
        />
      ))}
    </div>
  );
}

/** Returns the filter for the service. An empty field lets everything through. */
function toFilter({ types, states, labels, widgetIds }: FilterValues): EventFilter {
  return {
    types: types.length === 0 ? null : [...types],
    states: states.length === 0 ? null : [...states],
    labels: splitAtCommas(labels),
    widgetIds: splitAtCommas(widgetIds),
  };
}

/** Returns what the fields show for a filter. */
function fromFilter({ types, states, labels, widgetIds }: Schemas['EventFilter']): FilterValues {
  return {
    types: types ?? [],
    states: states ?? [],
    labels: labels?.join(', ') ?? '',
    widgetIds: widgetIds?.join(', ') ?? '',
  };
}

function splitAtCommas(text: string): string[] | null {
  const parts = text.split(',').map((part) => part.trim());
  const given = parts.filter((part) => part !== '');
  return given.length === 0 ? null : given;
}

/** Whether events of the widget, as it is now, would pass the filter. */
function passesFilter(widget: LiveWidget, { widgetIds, states, labels }: EventFilter): boolean {
  return (
    (!widgetIds || widgetIds.includes(widget.id)) &&
    (!states || states.includes(widget.state)) &&
    (!labels || widget.labels.some((label) => labels.includes(label)))
  );
}
