import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { describe, expect, test } from 'vitest';
import { Output } from './output.ts';

function capture(options: { isJson?: boolean; hasColors?: boolean } = {}) {
  const printed = { results: '', notes: '' };
  const collect = (name: 'results' | 'notes') => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  const output = new Output({ stdout: collect('results'), stderr: collect('notes') }, options);
  return { output, printed };
}

const columns = ['id', 'name'] as const;
const row = (id: number, name: string) => ({ id, name });

describe('output for people', () => {
  test('has aligned columns without spaces at the ends of lines', () => {
    const { output, printed } = capture();
    output.table([row(1, 'lamp'), row(100, 'a 😀')], columns);
    expect(printed.results).toBe('ID   NAME\n1    lamp\n100  a 😀\n');
  });

  test('has the members of a thing, one a line, with a word for what is absent', () => {
    const { output, printed } = capture();
    const widget = { id: 'w', labels: [], lastEventAt: null, retiredAt: null, sizeBytes: 3 };
    output.facts(widget, ['id', 'labels', 'lastEventAt', 'retiredAt', 'sizeBytes']);
    expect(printed.results).toBe('Id          w\nLabels      none\nLast event  none\nRetired     no\nBytes       3\n');
  });

  test('has colours only if it may', () => {
    const { output, printed } = capture({ hasColors: true });
    output.table([row(1, 'lamp')], columns);
    expect(printed.results).toContain('\u001b[1mlamp\u001b[22m');
  });

  test('says apart from the results that there is none', () => {
    const { output, printed } = capture();
    output.table([], columns);
    expect(printed).toEqual({ results: '', notes: 'none\n' });
  });

  test('has styles, but no control character of a text, and stays in its line', () => {
    const { output, printed } = capture({ hasColors: true });
    output.line({ style: 'bold', text: 'a\u001b[22m\n' }, '\u001b[2J\u009b\u202e\ud800😀');
    expect(printed.results).toBe('\u001b[1ma\\u001b[22m\\u000a\u001b[22m  \\u001b[2J\\u009b\\u202e\\ud800😀\n');
  });
});

describe('output for programs', () => {
  test('is one line of JSON for each result, and nothing else', () => {
    const { output, printed } = capture({ isJson: true });
    output.table([row(1, 'a\nb'), row(2, 'c')], columns);
    output.facts({ id: 3 }, ['id']);
    output.result({ id: 4 }, 'four');
    output.table([], columns);
    expect(printed).toEqual({
      results: '{"id":1,"name":"a\\nb"}\n{"id":2,"name":"c"}\n{"id":3}\n{"id":4}\n',
      notes: '',
    });
  });

  test('has the control characters of texts escaped, and means the same', () => {
    const { output, printed } = capture({ isJson: true });
    const text = 'a\u001b\u009b\u202e\u2028\u007f\ud800😀\n';
    output.result({ [text]: text });
    expect(printed.results).toMatch(/^[ -~😀]+\n$/u);
    expect(JSON.parse(printed.results)).toEqual({ [text]: text });
  });

  test('has every digit of a number', () => {
    const { output, printed } = capture({ isJson: true });
    const json = '{"a":[12345678901234567890,1e400,0.10,-0,1.0,7]}';
    output.result(parseExactJson(json));
    expect(printed.results).toBe(`${json}\n`);
  });
});
