import { hookId } from './healthy-evidence.ts';
import { oneKeyOneWidget } from './one-key-one-widget.ts';
import { checks, dropEvent, tellAgain } from './spoil.ts';

checks(oneKeyOneWidget, [
  ['a widget that is not stored', /is not stored/, ({ stored }) => void stored.widgets.pop()],
  [
    'two widgets of one key',
    /made several/,
    ({ stored }) => void stored.widgets.push({ ...stored.widgets[0]!, id: hookId(9) }),
  ],
  [
    'different bytes at a repetition',
    /different bytes/,
    ({ recording }) => void Object.assign(recording.creates[1]!, { answer: `${recording.creates[1]?.answer} ` }),
  ],
  ['a creation that was not told', /told 0 times/, (evidence) => dropEvent(evidence, 1)],
  ['a creation that was told twice', /told 2 times/, (evidence) => tellAgain(evidence, 1)],
  [
    'a widget of a refused request',
    /every request with it was refused/,
    ({ recording }) => {
      for (const create of recording.creates.slice(0, 2))
        Object.assign(create, { outcome: 'refused', status: 409, answer: null });
    },
  ],
  [
    'a widget nobody asked for',
    /nobody asked for/,
    ({ stored }) => void stored.widgets.push({ ...stored.widgets[0]!, id: hookId(9), idempotency: null }),
  ],
]);
