import { afterAll } from 'vitest';
import { openTestBackend } from './open-test-backend.ts';
import { openTestApp, type TestApp } from './test-app.ts';
import type { TestBackend } from './test-backend.ts';
import { openTestService, type TestService } from './test-service.ts';

/** Opens an app that all tests of the calling file or suite share. It closes after the last of them. */
export async function openSharedApp(...options: Parameters<typeof openTestApp>): Promise<TestApp> {
  const app = await openTestApp(...options);
  afterAll(app.close);
  return app;
}

/** The same for a whole service. */
export async function openSharedService(...options: Parameters<typeof openTestService>): Promise<TestService> {
  const service = await openTestService(...options);
  afterAll(service.close);
  return service;
}

/** The same for a backend. */
export async function openSharedBackend(...options: Parameters<typeof openTestBackend>): Promise<TestBackend> {
  const backend = await openTestBackend(...options);
  afterAll(backend.dispose);
  return backend;
}
