import { render } from 'preact';
import '@fontsource-variable/geist/wght.css';
import '@fontsource/geist-mono/400.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/forms.css';
import './styles/tables.css';
import './styles/menus.css';
import './styles/shell.css';
import './styles/navigation.css';
import './styles/pages.css';
import './styles/hooks.css';
import './styles/overview.css';
import './styles/streams.css';
import { locale } from './parts/format.ts';
import { FailureBoundary } from './parts/page.tsx';
import { followTheme, readLocale } from './parts/preferences.ts';
import { followClock } from './parts/time.tsx';
import { followAddress } from './router/router.tsx';
import { followSession, loadSession } from './session/session.ts';
import { followHealth } from './shell/health.ts';
import { followKeys } from './shell/palette.tsx';
import { Shell } from './shell/shell.tsx';

followTheme();
locale.value = readLocale(navigator.language);
followAddress();
followClock();
followSession();
followKeys();
followHealth();
void loadSession();

const place = document.getElementById('console');
if (place !== null) {
  // Removes what index.html shows to a browser without scripts.
  place.replaceChildren();
  render(
    <FailureBoundary of="main">
      <Shell />
    </FailureBoundary>,
    place,
  );
}
