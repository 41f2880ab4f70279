import { oneKeyOneWidget } from './one-key-one-widget.ts';
import { appendAgain, dropEvent, testChecker } from './test-checker.ts';

const thirdWidgetId = '0197a000-0000-7000-8000-000000000003';

testChecker(oneKeyOneWidget, [
  ['a widget that was answered 201 and is not stored', /is not stored/, ({ stored }) => void stored.widgets.pop()],
  [
    'two widgets with one key',
    /made several/,
    ({ stored }) => void stored.widgets.push({ ...stored.widgets[0]!, id: thirdWidgetId }),
  ],
  [
    'different bytes in a repeated answer',
    /different bytes/,
    ({ recording }) => void Object.assign(recording.creates[1]!, { answer: `${recording.creates[1]?.answer} ` }),
  ],
  ['a creation that was not published', /published 0 times/, (evidence) => dropEvent(evidence, 1)],
  ['a creation that was published twice', /published 2 times/, (evidence) => appendAgain(evidence, 1)],
  [
    'a widget whose key has only refused requests',
    /every request with it was refused/,
    ({ recording }) => {
      for (const create of recording.creates.slice(0, 2))
        Object.assign(create, { outcome: 'refused', status: 409, answer: null });
    },
  ],
  [
    'a widget that was never requested',
    /never requested/,
    ({ stored }) => void stored.widgets.push({ ...stored.widgets[0]!, id: thirdWidgetId, idempotency: null }),
  ],
]);
