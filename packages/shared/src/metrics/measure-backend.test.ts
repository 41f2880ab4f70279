import { describe, expect, test } from 'vitest';
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

/** A log with a tail whose reads fail while it is away, and once it is closed. */
class Log {
  isAway = false;
  #read = 3;
  openTail() {
    let isClosed = false;
    return {
      next: async () => {
        if (isClosed || this.isAway) throw new UnavailableError('no answer');
        return this.#read;
      },
      close: async () => {
        isClosed = true;
      },
    };
  }
}

function setUp() {
  const metrics = createMetrics();
  const control = new Log();
  const backend = measureBackend({ kind: 'embedded', widgets: new Widgets(), control } as unknown as Backend, metrics);
  const { widgets, control: log } = backend as unknown as { widgets: Widgets; control: Log };
  return { metrics, backend, widgets, log, takeLogAway: () => Object.assign(control, { isAway: true }) };
}

describe('measureBackend', () => {
  test('passes calls, results and errors on', async () => {
    const { backend, widgets } = setUp();
    expect(backend.kind).toBe('embedded');
    expect(await widgets.get('a')).toBe('a 7');
    await expect(widgets.get('bug')).rejects.toThrow('bug');
    expect(await widgets.close()).toBe('closed 7');
  });

  test('measures every method of a port that is a plain object', async () => {
    const ledger = { count: async () => 2, list: async (from: number) => [from], rows: 7 };
    const metrics = createMetrics();
    const backend = measureBackend({ kind: 'embedded', ledger } as unknown as Backend, metrics);
    const measured = backend.ledger as unknown as typeof ledger;
    expect(Object.keys(measured)).toEqual(['count', 'list', 'rows']);
    expect([await measured.count(), await measured.list(3), measured.rows]).toEqual([2, [3], 7]);
    const text = await metrics.registry.metrics();
    for (const operation of ['count', 'list']) {
      expect(text).toContain(`widget_store_call_duration_seconds_count{port="ledger",operation="${operation}"} 1\n`);
    }
  });

  test('counts the calls and the failures of each operation', async () => {
    const { metrics, widgets } = setUp();
    for (const id of ['a', 'b', 'down', 'bug']) await widgets.get(id).catch(() => undefined);
    const text = await metrics.registry.metrics();
    expect(text).toContain('widget_store_call_duration_seconds_count{port="widgets",operation="get"} 4\n');
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="unavailable"} 1\n');
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="other"} 1\n');
  });

  test('counts a failure at the port whose store failed, if the call needed the store of another port', async () => {
    const runs = { startRun: () => Promise.reject(new UnavailableError('no answer', undefined, 'eventLog')) };
    const metrics = createMetrics();
    const backend = measureBackend({ kind: 'cluster', runs } as unknown as Backend, metrics);
    await expect(backend.runs.startRun()).rejects.toThrow(UnavailableError);
    const text = await metrics.registry.metrics();
    const failures = (port: string) =>
      `widget_store_call_failures_total{port="${port}",operation="startRun",error="unavailable"}`;
    expect(text).toContain(`${failures('eventLog')} 1\n`);
    expect(text).toContain(`${failures('runs')} 0\n`);
  });

  test('shows an operation from its first call, with no failures, but none that only ends with the process', async () => {
    const { metrics, widgets } = setUp();
    expect(await metrics.registry.metrics()).not.toContain('operation="get"');
    const call = widgets.get('a');
    const text = await metrics.registry.metrics();
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="unavailable"} 0\n');
    expect(text).toContain('widget_store_call_failures_total{port="widgets",operation="get",error="other"} 0\n');
    await call;
    await widgets.close();
    expect(await metrics.registry.metrics()).not.toContain('operation="close"');
  });

  test('counts the reads of a tail and their failures, but not the end of a tail that is closed', async () => {
    const { metrics, log, takeLogAway } = setUp();
    const readsText = 'widget_store_call_duration_seconds_count{port="control",operation="next"}';
    const failuresText = 'widget_store_call_failures_total{port="control",operation="next",error="unavailable"}';
    const tail = log.openTail();
    expect(await tail.next()).toBe(3);
    expect(await metrics.registry.metrics()).toContain(`${readsText} 1\n`);
    expect(await metrics.registry.metrics()).toContain(`${failuresText} 0\n`);
    expect(log.isAway).toBe(false);
    takeLogAway();
    expect(log.isAway).toBe(true);
    await expect(tail.next()).rejects.toThrow(UnavailableError);
    await tail.close();
    await expect(tail.next()).rejects.toThrow(UnavailableError);
    expect(await metrics.registry.metrics()).toContain(`${readsText} 2\n`);
    expect(await metrics.registry.metrics()).toContain(`${failuresText} 1\n`);
  });
});
