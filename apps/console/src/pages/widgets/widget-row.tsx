import type { TargetedMouseEvent } from 'preact';
import { WidgetState } from '../../parts/badges.tsx';
import { formatCount } from '../../parts/format.ts';
import { firstPage } from '../../parts/paged-list.tsx';
import { Time } from '../../parts/time.tsx';
import { changeQuery } from '../../router/address.ts';
import { isForBrowser, Link } from '../../router/link.tsx';
import type { Schemas } from '../../service/service.ts';
import { toLabelSearch } from './search-words.ts';

interface WidgetRowProperties {
  readonly widget: Schemas['Widget'];
  /** Whether it has changed since the page was read. Then it glows for a moment. */
  readonly isChanged: boolean;
}

/** One line of a list, which leads to the page of the widget. A click on a label finds the widgets with this label. */
export function WidgetRow({ widget, isChanged }: WidgetRowProperties) {
  const choose = (event: TargetedMouseEvent<HTMLElement>) => {
    const label = event.target instanceof HTMLElement ? event.target.dataset.label : undefined;
    if (label === undefined || isForBrowser(event)) return;
    event.preventDefault();
    // The row is a link.
    event.stopPropagation();
    changeQuery({ ...firstPage, search: toLabelSearch(label) });
  };
  // Two names of one animation: only another name restarts it.
  const glow = isChanged ? `glow-${widget.version % 2 === 0 ? 'even' : 'odd'}` : '';
  return (
    <Link to={`/widgets/${widget.id}`} class={`widget-row ${glow}`}>
      <span class="widget-name" dir="auto">
        {widget.name}
      </span>
      <WidgetState state={widget.state} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the search does the same by the keyboard. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the row is the element that can be focused. */}
      <span class="labels" onClick={choose}>
        {widget.labels.map((label) => (
          <span key={label} class="label" dir="auto" data-label={label}>
            {label}
          </span>
        ))}
      </span>
      <span class="muted number">v{formatCount(widget.version)}</span>
      <span class="muted widget-time">
        <Time at={widget.updatedAt} />
      </span>
    </Link>
  );
}
