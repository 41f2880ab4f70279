import type { Resource } from '../service/use-resource.ts';
import { texts } from '../texts/texts.ts';
import { ProblemNotice } from './messages.tsx';

interface ReadStateProperties {
  readonly read: Resource<unknown>;
  /** The failure of something else that concerns what was read. */
  readonly error?: unknown;
}

const rowNumbers = [1, 2, 3, 4, 5, 6];

/** Shows the place of what is loading, or why that failed. Nothing once it was read. */
export function ReadState({ read, error = null }: ReadStateProperties) {
  const failure = read.error.value ?? error;
  if (failure !== null) return <ProblemNotice error={failure} onRetry={read.reload} />;
  return read.data.value === null ? <Skeleton /> : null;
}

/** Grey rows where the data will be. */
function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{texts.general.loading}</span>
      {rowNumbers.map((row) => (
        <span key={row} class="skeleton-row" />
      ))}
    </div>
  );
}
