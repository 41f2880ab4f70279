import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import type { Backend } from '../ports/backend.ts';
import { measureBackend } from './measure-backend.ts';
import { createMetrics } from './metrics.ts';

class Widgets {
  #answer = 7;
  get(id: string): Promise<string> {
    if (id === 'down') return Promise.reject(new UnavailableError('no answer'));
    if (id === 'bug') return Promise.reject(new TypeError('bug'));
    return Promise.resolve(`${id} ${this.#answer}`);
  }
  close(): Promise<string> {
    return Promise.resolve(`closed ${this.#answer}`);
  }
}

function setUp() {
  const metrics = createMetrics();
  const backend = measureBackend({ kind: 'embedded', widgets: new Widgets() } as unknown as Backend, metrics);
  return { metrics, backend, widgets: backend.widgets as unknown as Widgets };
}

describe('measureBackend', () => {
  it('passes calls, results and errors on', async () => {
    const { backend, widgets } = setUp();
    expect(backend.kind).toBe('embedded');
    expect(await widgets.get('a')).toBe('a 7');
    await expect(widgets.get('bug')).rejects.toThrow('bug');
    expect(await widgets.close()).toBe('closed 7');
  });

  it('counts the calls and the failures of each operation', async () => {
    const { metrics, widgets } = setUp();
    for (const id of ['a', 'b', 'down', 'bug']) await widgets.get(id).catch(() => undefined);
    const text = await metrics.registry.metrics();
    expect(text).toContain('widget_store_call_duration_seconds_count{port="widgets",operation="get"} 4\n');
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="unavailable"} 1\n');
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="other"} 1\n');
  });

  it('shows each operation as 0 before its first call, but no operation that only ends with the process', async () => {
    const text = await setUp().metrics.registry.metrics();
    expect(text).toContain('widget_store_call_duration_seconds_count{port="widgets",operation="get"} 0\n');
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="unavailable"} 0\n');
    expect(text).not.toContain('operation="close"');
  });
});
