import { ExternalLink } from 'lucide';
import { toRunbookAddress } from '../service/page-settings.ts';
import { texts } from '../texts/texts.ts';
import { Icon } from './icon.tsx';

/** What to do about the problem, in a tab of its own. */
export function Runbook({ name }: { readonly name: string }) {
  const { general } = texts;
  const address = toRunbookAddress(name);
  if (address === null) return <p class="muted small">{general.runbookFile(name)}</p>;
  return (
    <a class="button button-plain" href={address} target="_blank" rel="noreferrer">
      <Icon of={ExternalLink} size={14} /> {general.runbook}
    </a>
  );
}
