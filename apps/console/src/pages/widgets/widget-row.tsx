import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import type { TargetedMouseEvent } from 'preact';
import { hasJustChanged } from '../../live/shared-widgets.ts';
import { WidgetState } from '../../parts/badges.tsx';
import { formatCount } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';
import { isForBrowser } from '../../router/link.tsx';

/** In pixels: `--row` of `tokens.css`. A finger is wider than a pointer. */
export const widgetRowHeight = matchMedia('(pointer: coarse)').matches ? 48 : 36;

interface WidgetRowProperties {
  readonly widget: LiveWidget;
  /** Shows only widgets with a label, if the list can do so. The row itself is a link, so this is for the pointer. */
  readonly onLabel?: (label: string) => void;
}

/** One line of the list. It glows when the widget has just changed. */
export function WidgetRow({ widget, onLabel }: WidgetRowProperties) {
  const choose = (event: TargetedMouseEvent<HTMLElement>) => {
    const label = event.target instanceof HTMLElement ? event.target.dataset.label : undefined;
    if (label === undefined || onLabel === undefined || isForBrowser(event)) return;
    event.preventDefault();
    onLabel(label);
  };
  // Two names of one animation: only another name restarts it.
  const glow = hasJustChanged(widget.id) ? `glow-${widget.version % 2 === 0 ? 'even' : 'odd'}` : '';
  return (
    <div class={`widget-row ${glow}`}>
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
    </div>
  );
}
