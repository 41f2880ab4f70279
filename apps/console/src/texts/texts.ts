import { access } from './english/access.ts';
import { general } from './english/general.ts';
import { grants } from './english/grants.ts';
import { hooks } from './english/hooks.ts';
import { keyboard } from './english/keyboard.ts';
import { overview } from './english/overview.ts';
import { problems } from './english/problems.ts';
import { signIn } from './english/sign-in.ts';
import { streams } from './english/streams.ts';
import { widgets } from './english/widgets.ts';

/** Every text that people read. A translation is another object of the same type. */
const english = { general, keyboard, problems, signIn, overview, widgets, streams, grants, hooks, access };

export type Texts = typeof english;

export const texts: Texts = english;
