/** Checks and cleanup after every test and test file, because several files share one process. */
import { afterAll, afterEach, vi } from 'vitest';

const prototypeKeyCount = Reflect.ownKeys(Object.prototype).length;

// Fails a test whose input polluted the prototype of all objects.
afterEach(() => {
  if (Reflect.ownKeys(Object.prototype).length !== prototypeKeyCount)
    throw new Error('Object.prototype was changed');
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
