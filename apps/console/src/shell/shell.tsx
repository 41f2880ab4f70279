import { useEffect } from 'preact/hooks';
import { MustChangePasswordPage } from '../pages/access/password-form.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { FailureBoundary } from '../parts/failure-boundary.tsx';
import { EmptyState, Toasts } from '../parts/messages.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { changeQuery, path, query, replacePath } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { may, session, sessionState } from '../session/session.ts';
import { Navigation } from './navigation.tsx';
import { MachineNotice, UnreachableNotice } from './notices.tsx';
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
  if (found === null) return <NotFoundPage />;
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
    </FailureBoundary>
  );
}

function NotFoundPage() {
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
