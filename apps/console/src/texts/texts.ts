import { access } from './english/access.ts';
import { failure, general, keyboard, problems, signIn } from './english/general.ts';
import { grants } from './english/grants.ts';
import { overview } from './english/overview.ts';
import { streams } from './english/streams.ts';
import { widgets } from './english/widgets.ts';

/** Every text that people read. A translation is another object of the same type. */
const english = {
  general,
  failure,
  keyboard,
  problems,
  signIn,
  overview,
  widgets,
  streams,
  grants,
  access,
};

export type Texts = typeof english;

export const texts: Texts = english;
