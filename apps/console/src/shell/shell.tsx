import { useEffect } from 'preact/hooks';
import { MustChangePasswordPage } from '../pages/access/account-page.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { OpenDialog } from '../parts/dialog.tsx';
import { formatDuration, formatTime } from '../parts/format.ts';
import { EmptyState, Toasts } from '../parts/messages.tsx';
import { FailureBoundary, PageHeader } from '../parts/page.tsx';
import { unknownTimeZone } from '../parts/preferences.ts';
import { changeQuery, Link, path, query, replacePath } from '../router/router.tsx';
import { api, unreachableSinceMs } from '../service/service.ts';
import { clockErrorMs } from '../service/service-clock.ts';
import { may, session, sessionState } from '../session/session.ts';
import { Navigation } from './navigation.tsx';
import { findPage } from './pages.ts';
import { Palette } from './palette.tsx';

/** The whole console: the sign-in page, or the navigation with one page. */
export function Shell() {
  const state = sessionState.value;
  if (state.kind === 'signed-out') return <SignInPage hasEnded={state.hasEnded} />;
  if (state.kind === 'unknown') return <p class="waiting">Loading…</p>;
  if (state.kind === 'unreachable') {
    return (
      <main class="sign-in">
        <h1>Can't reach the service</h1>
        <p role="alert">Retrying automatically.</p>
      </main>
    );
  }
  if (session.value?.user.mustChangePassword) return <MustChangePasswordPage />;
  // The key: nothing that one user has typed or read stays on the page when another one signs in, in any tab.
  return (
    <div class="shell" key={session.value?.user.id}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Navigation />
      <main id="content" class="content">
        <UnreachableNotice />
        <MachineNotice />
        <CurrentPage />
      </main>
      <Toasts />
      <Palette />
    </div>
  );
}

function CurrentPage() {
  const found = findPage(path.value);
  const isRoot = path.value === '/';
  useEffect(() => {
    if (isRoot) replacePath(may('audit:read') ? '/overview' : '/widgets');
  }, [isRoot]);
  // Screen readers begin at the heading of the new page.
  useEffect(() => {
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  }, [path.value]);
  // The palette leads to a page in order to create something there.
  const isCreating = query.value.has('new');
  useEffect(() => {
    const button = document.querySelector<HTMLElement>('[data-creates]');
    if (!isCreating || button === null) return;
    button.click();
    changeQuery({ new: null });
  }, [path.value, isCreating]);
  if (isRoot) return null;
  if (found === null) {
    return (
      <>
        <PageHeader title="Page not found" />
        <p>Check the address, or go to the start page.</p>
        <p>
          <Link to="/">Go to start page</Link>
        </p>
      </>
    );
  }
  const { page, parameters } = found;
  if (page.permission !== null && !may(page.permission)) {
    return (
      <>
        <PageHeader title={page.title} />
        <EmptyState title="You don't have access to this page" text="Ask an admin to change your role." />
      </>
    );
  }
  const Page = page.component;
  return (
    <FailureBoundary of="section" key={path.value}>
      <Page {...parameters} />
      <OpenDialog />
    </FailureBoundary>
  );
}

const retryMs = 3_000;

/** One line for all that the page shows: since when the service does not answer, and so how old the data are. */
function UnreachableNotice() {
  const sinceMs = unreachableSinceMs.value;
  const isUnreachable = sinceMs !== null;
  useEffect(() => {
    if (!isUnreachable) return;
    // Not every page reads again by itself.
    const retry = () => void api.GET('/api/v1/session').catch(() => undefined);
    const timer = setInterval(retry, retryMs);
    return () => clearInterval(timer);
  }, [isUnreachable]);
  return (
    <div role="status">
      {sinceMs === null ? null : (
        <p class="notice notice-warning">
          No answer from the service since {formatTime(sinceMs)}. Retrying… What you see may be out of date.
        </p>
      )}
    </div>
  );
}

/** The unit in which the error of the clock is shown. Less than half of it is corrected silently. */
const minuteMs = 60_000;

/** What is wrong with the clock or the time zone of this machine, and what the page does about it. */
function MachineNotice() {
  const errorMs = clockErrorMs.value;
  const errorMinutes = Math.round(Math.abs(errorMs) / minuteMs);
  return (
    <div role="status">
      {errorMinutes === 0 ? null : (
        <p class="notice notice-warning">
          The clock of this machine is about {formatDuration(errorMinutes * minuteMs)}{' '}
          {errorMs > 0 ? 'ahead of' : 'behind'} the service's. This page goes by the service's clock.
        </p>
      )}
      {unknownTimeZone === null ? null : (
        <p class="notice notice-warning">
          This browser has no data of its time zone ({unknownTimeZone}). Times are in UTC.
        </p>
      )}
    </div>
  );
}
