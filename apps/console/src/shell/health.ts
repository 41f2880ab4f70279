import { effect, signal } from '@preact/signals';
import { api, type Schemas } from '../service/service.ts';
import { may, session } from '../session/session.ts';

interface HealthSummary {
  /** Whether users are affected by something now. */
  readonly isUrgent: boolean;
  /** How many hooks are dead over all integrations. */
  readonly deadHooks: number;
}

/** What the newest overview says, for the navigation and the icon of the tab. Null: not known. */
export const health = signal<HealthSummary | null>(null);

/** Also while the tab is hidden: its icon is what people see of it then. */
const refreshMs = 30_000;

/** Called with each overview that is read anywhere. */
export function noteOverview({ conditions, deadLetters }: Schemas['Overview']): void {
  const isUrgent = conditions.some(({ severity }) => severity === 'page');
  const deadHooks = (deadLetters ?? []).reduce((sum, { count }) => sum + count, 0);
  const { isUrgent: wasUrgent, deadHooks: before } = health.peek() ?? {};
  if (isUrgent !== wasUrgent || deadHooks !== before) health.value = { isUrgent, deadHooks };
}

/** Reads the overview now and then while somebody is signed in who may see it, and marks the icon of the tab. */
export function followHealth(): void {
  effect(() => {
    if (session.value?.user.mustChangePassword !== false || !may('audit:read')) return;
    // A failure shows on the page that the person looks at. The icon keeps what is known.
    const read = () => void api.GET('/api/v1/overview').then(noteOverview, () => undefined);
    read();
    const timer = setInterval(read, refreshMs);
    return () => {
      clearInterval(timer);
      health.value = null;
    };
  });
  effect(() => markIcon(health.value?.isUrgent ?? false));
}

function markIcon(isUrgent: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const name = isUrgent ? 'icon-urgent.svg' : 'icon.svg';
  if (link !== null && !link.href.endsWith(`/${name}`)) link.href = new URL(name, link.href).href;
}
