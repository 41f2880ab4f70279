import { describe, expect, test } from 'vitest';
import { Output, toOneLine } from './output.ts';

function capture(options: { isJson?: boolean; hasColors?: boolean } = {}) {
  const printed = { results: '', notes: '' };
  const output = new Output({
    isJson: options.isJson ?? false,
    hasColors: options.hasColors ?? false,
    write: (text) => {
      printed.results += text;
    },
    writeNote: (text) => {
      printed.notes += text;
    },
  });
  return { output, printed };
}

const columns = [
  { title: 'ID', text: ({ id }: { id: number; name: string }) => String(id) },
  { title: 'NAME', text: ({ name }: { id: number; name: string }) => name, style: () => 'bold' as const },
];

describe('output for people', () => {
  test('has aligned columns without spaces at the ends of lines', () => {
    const { output, printed } = capture();
    output.table(
      [
        { id: 1, name: 'lamp' },
        { id: 100, name: 'a 😀' },
      ],
      columns,
    );
    expect(printed.results).toBe('ID   NAME\n1    lamp\n100  a 😀\n');
  });

  test('has colours only if it may', () => {
    const { output, printed } = capture({ hasColors: true });
    output.table([{ id: 1, name: 'lamp' }], columns);
    expect(printed.results).toContain('\u001b[1mlamp\u001b[22m');
  });

  test('says apart from the results that there is none', () => {
    const { output, printed } = capture();
    output.table([], columns);
    expect(printed).toEqual({ results: '', notes: 'none\n' });
  });

  test('lets no name change the terminal', () => {
    expect(toOneLine('a\u001b[2Jb\nc\u202ed\u0085')).toBe('a\ufffd[2Jb\ufffdc\ufffdd\ufffd');
  });
});

describe('output for programs', () => {
  test('is one line of JSON for each result, and nothing else', () => {
    const { output, printed } = capture({ isJson: true });
    output.table(
      [
        { id: 1, name: 'a\nb' },
        { id: 2, name: 'c' },
      ],
      columns,
    );
    output.facts({ id: 3 }, [['Id', '3']]);
    output.result({ id: 4 }, () => 'four');
    output.table([], columns);
    expect(printed).toEqual({
      results: '{"id":1,"name":"a\\nb"}\n{"id":2,"name":"c"}\n{"id":3}\n{"id":4}\n',
      notes: '',
    });
  });
});
