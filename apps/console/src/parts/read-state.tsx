import { ExternalLink } from 'lucide';
import { toRunbookAddress } from '../service/page-settings.ts';
import type { Resource } from '../service/use-resource.ts';
import { Icon } from './icon.tsx';
import { ProblemNotice } from './messages.tsx';
import { describeUnreadable } from './problems.ts';

interface ReadStateProperties {
  readonly read: Resource<unknown>;
  /** The failure of something else that concerns what was read. */
  readonly error?: unknown;
}

const rowNumbers = [1, 2, 3, 4, 5, 6];

/** Shows the place of what is loading, why that failed, or how many items are missing in what was read. */
export function ReadState({ read, error = null }: ReadStateProperties) {
  const failure = read.error.value ?? error;
  if (failure !== null) return <ProblemNotice error={failure} onRetry={read.reload} />;
  return read.data.value === null ? <Skeleton /> : <UnreadableItems data={read.data.value} />;
}

/** Says that the list above or below is not complete, and what the operator can do. */
function UnreadableItems({ data }: { readonly data: unknown }) {
  const text = describeUnreadable(data);
  if (text === null) return null;
  return (
    <div class="notice notice-error notice-warning" role="status">
      <p>{text}</p>
      <Runbook name="rows-unreadable" />
    </div>
  );
}

/** Grey rows where the data will be. */
function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading…</span>
      {rowNumbers.map((row) => (
        <span key={row} class="skeleton-row" />
      ))}
    </div>
  );
}

/** What to do about a problem, in a tab of its own. */
export function Runbook({ name }: { readonly name: string }) {
  const address = toRunbookAddress(name);
  if (address === null) return <p class="muted small">Runbook: docs/runbooks/{name}.md</p>;
  return (
    <a class="button button-plain" href={address} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} size={14} /> Runbook
    </a>
  );
}
