import { access, general, grants } from './english/general.ts';
import { streams } from './english/streams.ts';
import { widgets } from './english/widgets.ts';

/** The texts that are not yet where they are shown. */
export const texts = { general, access, grants, widgets, streams };
