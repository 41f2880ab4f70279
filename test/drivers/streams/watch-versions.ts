import type { LiveWidgets } from '@widget-service/client/live/live-widgets.ts';

/** Returns a list of mistakes that grows with each change that does not fit what the collection showed before. */
export function watchVersions(live: LiveWidgets): string[] {
  const versions = new Map<string, number>();
  const mistakes: string[] = [];
  live.subscribe((changes) => {
    if (live.state === 'loading' && live.getSnapshot().length > 0) mistakes.push('shows a part of the first load');
    for (const { kind, widget } of changes) {
      const known = versions.get(widget.id);
      if (kind === 'removed') versions.delete(widget.id);
      else versions.set(widget.id, widget.version);
      if ((kind === 'added') !== (known === undefined)) mistakes.push(`${kind} ${widget.name}, which had ${known}`);
      if (kind === 'changed' && widget.version <= (known ?? 0)) {
        mistakes.push(`${widget.name} changed from version ${known} to ${widget.version}`);
      }
    }
  });
  return mistakes;
}
