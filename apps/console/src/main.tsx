import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/dialogs.css';
import './styles/forms.css';
import './styles/tables.css';
import './styles/shell.css';
import './styles/pages.css';
import { followWidgets } from './live/shared-widgets.ts';
import { followClock } from './parts/time.tsx';
import { followAddress } from './router/address.ts';
import { followSession, loadSession } from './session/session.ts';
import { followKeys } from './shell/keyboard.tsx';
import { Shell } from './shell/shell.tsx';
import { followTheme } from './shell/theme.ts';

followTheme();
followAddress();
followClock();
followSession();
followWidgets();
followKeys();
void loadSession();

const place = document.getElementById('console');
if (place !== null) render(<Shell />, place);
