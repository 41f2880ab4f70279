import type { LiveWidget } from '@widget-service/client/live/live-widget.ts';
import { hasJustChanged } from '../../live/live-widgets.ts';
import { Badge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts/texts.ts';

/** In pixels. The same in `widgets.css`. */
export const widgetRowHeight = 44;

/** One line of the list. It glows when the widget has just changed. */
export function WidgetRow({ widget }: { readonly widget: LiveWidget }) {
  // Each version restarts the animation by another name of it.
  const glow = hasJustChanged(widget.id) ? `glow-${widget.version % 2}` : '';
  return (
    <div class={`widget-row ${glow}`}>
      <span class="widget-name">{widget.name}</span>
      <WidgetState state={widget.state} />
      <span class="labels">
        {widget.labels.map((label) => (
          <span key={label} class="label">
            {label}
          </span>
        ))}
      </span>
      <span class="muted number">v{widget.version}</span>
      <span class="muted widget-time">
        <Time at={widget.updatedAt} />
      </span>
    </div>
  );
}

export function WidgetState({ state }: { readonly state: LiveWidget['state'] }) {
  return <Badge tone={state === 'active' ? 'good' : 'quiet'}>{texts.widgets.states[state]}</Badge>;
}
