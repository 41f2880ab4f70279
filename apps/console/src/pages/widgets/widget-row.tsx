import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { hasJustChanged } from '../../live/shared-widgets.ts';
import { WidgetState } from '../../parts/badges.tsx';
import { formatCount } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

/** In pixels: `--row` of `tokens.css`. A finger is wider than a pointer. */
export const widgetRowHeight = matchMedia('(pointer: coarse)').matches ? 48 : 36;

/** One line of the list. It glows when the widget has just changed. */
export function WidgetRow({ widget }: { readonly widget: LiveWidget }) {
  // Two names of one animation: only another name restarts it.
  const glow = hasJustChanged(widget.id) ? `glow-${widget.version % 2 === 0 ? 'even' : 'odd'}` : '';
  return (
    <div class={`widget-row ${glow}`}>
      <span class="widget-name" dir="auto">
        {widget.name}
      </span>
      <WidgetState state={widget.state} />
      <span class="labels">
        {widget.labels.map((label) => (
          <span key={label} class="label" dir="auto">
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
