import { useEffect } from 'preact/hooks';
import { MustChangePasswordPage } from '../pages/access/must-change-password-page.tsx';
import { NotFoundPage, NotPermittedPage } from '../pages/not-found-page.tsx';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { path, replacePath } from '../router/address.ts';
import { may, session, sessionState } from '../session/session.ts';
import { texts } from '../texts/texts.ts';
import { ShortcutsHelp } from './keyboard/shortcuts-help.tsx';
import { Navigation } from './navigation.tsx';
import { findPage } from './pages.ts';
import { Palette } from './palette/palette.tsx';

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
  if (isRoot) return null;
  if (found === null) return <NotFoundPage />;
  const { page, parameters } = found;
  if (page.permission !== null && !may(page.permission)) return <NotPermittedPage title={page.title} />;
  const Page = page.component;
  return <Page key={path.value} {...parameters} />;
}
