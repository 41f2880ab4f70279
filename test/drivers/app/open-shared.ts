import { withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { afterAll } from 'vitest';
import { openTestBackend } from './open-test-backend.ts';
import { openTestApp, type TestApp } from './test-app.ts';
import type { TestBackend } from './test-backend.ts';
import { openTestService, type TestService } from './test-service.ts';

/** vitest bounds its hooks, but not what a file waits for while its tests are collected. */
const openingMaxMs = 60_000;

/** Opens an app that all tests of the calling file or suite share. It closes after the last of them. */
export async function openSharedApp(...options: Parameters<typeof openTestApp>): Promise<TestApp> {
  const app = await withDeadline(openTestApp(...options), openingMaxMs, 'open an app');
  afterAll(app.close);
  return app;
}

/** The same for a whole service. */
export async function openSharedService(...options: Parameters<typeof openTestService>): Promise<TestService> {
  const service = await withDeadline(openTestService(...options), openingMaxMs, 'open a service');
  afterAll(service.close);
  return service;
}

/** The same for a backend. */
export async function openSharedBackend(...options: Parameters<typeof openTestBackend>): Promise<TestBackend> {
  const backend = await withDeadline(openTestBackend(...options), openingMaxMs, 'open a backend');
  afterAll(backend.dispose);
  return backend;
}
