import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Field, LinesField, Select, TextField } from '../../../parts/fields.tsx';
import { texts } from '../../../texts/texts.ts';
import { kindOutcomes, type MappingDraft, type Target, targets, timeFormats } from './mapping-draft.ts';

interface MappingFieldsProperties {
  readonly draft: Signal<MappingDraft>;
  /** The part of the hook that a clicked value is used for. */
  readonly target: Signal<Target>;
}

/** Where the parts of a hook are. Each can be typed, or clicked in the request. */
export function MappingFields({ draft, target }: MappingFieldsProperties) {
  const { sources } = texts;
  return (
    <>
      <Field label={sources.useFor}>
        {({ id }) => (
          <Select
            id={id}
            options={targets.map((name) => [name, sources.targets[name]] as const)}
            value={target.value}
            onChange={(name) => (target.value = name)}
          />
        )}
      </Field>
      <KindFields draft={draft} />
      <TimeFields draft={draft} />
      <WidgetFields draft={draft} />
      <PlaceFields draft={draft} name="id" hint={sources.idHint} />
      <PlaceFields draft={draft} name="payload" hint={sources.payloadHint} />
      <LinesField
        label={sources.filters}
        hint={sources.filtersHint}
        value={draft.value.only}
        onInput={(only) => change(draft, { only })}
      />
    </>
  );
}

type Draft = Signal<MappingDraft>;

function change(draft: Draft, changes: Partial<MappingDraft>): void {
  draft.value = { ...draft.peek(), ...changes };
}

interface PlaceFieldsProperties {
  readonly draft: Draft;
  readonly name: Exclude<Target, 'only'>;
  readonly hint: string;
  readonly children?: ComponentChildren;
}

/** One part of the hook: its place, and further fields. */
function PlaceFields({ draft, name, hint, children }: PlaceFieldsProperties) {
  const { sources } = texts;
  return (
    <fieldset class="fieldset">
      <legend>{sources.targets[name]}</legend>
      <TextField
        label={sources.place}
        hint={hint}
        value={draft.value[name]}
        onInput={(next) => change(draft, { [name]: next })}
      />
      {children}
    </fieldset>
  );
}

function KindFields({ draft }: { readonly draft: Draft }) {
  const { sources } = texts;
  return (
    <PlaceFields draft={draft} name="kind" hint={sources.placeHint}>
      <LinesField
        label={sources.kinds}
        hint={sources.kindsHint}
        value={draft.value.kinds}
        onInput={(kinds) => change(draft, { kinds })}
      />
      <Choice
        label={sources.otherwise}
        names={kindOutcomes}
        labels={sources.outcomes}
        value={draft.value.otherwise}
        onChange={(otherwise) => change(draft, { otherwise })}
      />
    </PlaceFields>
  );
}

function TimeFields({ draft }: { readonly draft: Draft }) {
  const { sources } = texts;
  return (
    <PlaceFields draft={draft} name="occurredAt" hint={sources.timeHint}>
      <Choice
        label={sources.format}
        names={timeFormats}
        labels={sources.formats}
        value={draft.value.format}
        onChange={(format) => change(draft, { format })}
      />
      <Choice
        label={sources.timeOtherwise}
        names={['now', 'refuse']}
        labels={sources.timeOtherwises}
        value={draft.value.timeOtherwise}
        onChange={(timeOtherwise) => change(draft, { timeOtherwise })}
      />
    </PlaceFields>
  );
}

function WidgetFields({ draft }: { readonly draft: Draft }) {
  const { sources } = texts;
  return (
    <PlaceFields draft={draft} name="widgetId" hint={sources.widgetHint}>
      <Choice
        label={sources.widgetAs}
        names={['name', 'uuid']}
        labels={sources.widgetKinds}
        value={draft.value.widgetAs}
        onChange={(widgetAs) => change(draft, { widgetAs })}
      />
      <Choice
        label={sources.widgetOtherwise}
        names={['none', 'refuse']}
        labels={sources.widgetOtherwises}
        value={draft.value.widgetOtherwise}
        onChange={(widgetOtherwise) => change(draft, { widgetOtherwise })}
      />
    </PlaceFields>
  );
}

interface ChoiceProperties<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly labels: Readonly<Record<Name, string>>;
  readonly value: Name;
  readonly onChange: (name: Name) => void;
}

function Choice<Name extends string>({ label, names, labels, value, onChange }: ChoiceProperties<Name>) {
  return (
    <Field label={label}>
      {({ id }) => (
        <Select
          id={id}
          options={names.map((name) => [name, labels[name]] as const)}
          value={value}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
