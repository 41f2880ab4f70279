import { formatExactJson } from '@widget-service/client/json/exact-json.ts';
import { Code } from '../../../parts/facts.tsx';
import { ProblemNotice } from '../../../parts/messages.tsx';
import { Table } from '../../../parts/table.tsx';
import type { Schemas } from '../../../service/service.ts';
import type { Resource } from '../../../service/use-resource.ts';
import { texts } from '../../../texts/texts.ts';

type Preview = Schemas['HookPreview'];

/** What the service would do with the request. */
export function PreviewPanel({ preview }: { readonly preview: Resource<Preview | null> }) {
  const { sources } = texts;
  const shown = preview.data.value;
  if (preview.error.value !== null) return <ProblemNotice error={preview.error.value} />;
  if (shown === null) return <p class="hint">{sources.valuesEmpty}</p>;
  return (
    <>
      <p role="status">
        <strong>{sources.outcomeNames[shown.outcome]}</strong>{' '}
        {shown.refusal === null ? '' : `${sources.members[shown.refusal.step]}: ${shown.refusal.reason}.`}
      </p>
      <p>
        {sources.signature}: {sources.signatureResults[shown.signature.result]}
      </p>
      <Table
        label={sources.resultStep}
        rows={shown.mapped.filter(({ member }) => member !== 'payload')}
        keyOf={({ member, read }) => `${member} ${read}`}
        columns={[
          { title: sources.member, cell: ({ member }) => sources.members[member] },
          { title: sources.read, cell: ({ read }) => read ?? sources.nothing },
          { title: sources.became, cell: describeBecame },
        ]}
      />
      {shown.event === null ? null : (
        <>
          <h3>{sources.event}</h3>
          <Code>{formatExactJson(shown.event, 2)}</Code>
        </>
      )}
    </>
  );
}

/** A widget that is known by a name has an id once the integration has one. */
function describeBecame({ member, read, became }: Preview['mapped'][number]): string {
  const { sources } = texts;
  return became ?? (member === 'widgetId' && read !== null ? sources.idLater : sources.nothing);
}
