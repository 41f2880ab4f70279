import { useEffect } from 'preact/hooks';
import { MustChangePasswordPage } from '../pages/access/password-form.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { FailureBoundary } from '../parts/failure-boundary.tsx';
import { EmptyState, Toasts } from '../parts/messages.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { changeQuery, path, query, replacePath } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { may, session, sessionState } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { activateShortcut } from './activate-shortcut.ts';
import { ShortcutsHelp } from './keyboard.tsx';
import { MachineNotice } from './machine-notice.tsx';
import { Navigation } from './navigation.tsx';
import { findPage } from './pages.ts';
import { Palette } from './palette.tsx';
import { UnreachableNotice } from './unreachable-notice.tsx';

/** The whole console: the sign-in page, or the navigation with one page. */
export function Shell() {
  const state = sessionState.value;
  if (state.kind === 'signed-out') return <SignInPage hasEnded={state.hasEnded} />;
  if (state.kind === 'unknown') return <p class="waiting">{texts.general.loading}</p>;
  if (state.kind === 'unreachable') {
    return (
      <main class="sign-in">
        <h1>{texts.signIn.unreachableTitle}</h1>
        <p role="alert">{texts.signIn.unreachable}</p>
      </main>
    );
  }
  if (session.value?.user.mustChangePassword) return <MustChangePasswordPage />;
  // The key: nothing that one user has typed or read stays on the page when another one signs in, in any tab.
  return (
    <div class="shell" key={session.value?.user.id}>
      <a class="skip" href="#content">
        {texts.general.skipToContent}
      </a>
      <Navigation />
      <main id="content" class="content">
        <UnreachableNotice />
        <MachineNotice />
        <CurrentPage />
      </main>
      <Toasts />
      <Palette />
      <ShortcutsHelp />
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
    if (isCreating && activateShortcut('c')) changeQuery({ new: null });
  }, [path.value, isCreating]);
  if (isRoot) return null;
  const { general } = texts;
  if (found === null) return <NotFoundPage />;
  const { page, parameters } = found;
  if (page.permission !== null && !may(page.permission)) {
    return (
      <>
        <PageHeader title={page.title} />
        <EmptyState title={general.notPermittedTitle} text={general.notPermitted} />
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
  const { general } = texts;
  return (
    <>
      <PageHeader title={general.notFoundTitle} />
      <p>{general.notFound}</p>
      <p>
        <Link to="/">{general.toFirstPage}</Link>
      </p>
    </>
  );
}
