/** What holds after every test, and after every file: the next one finds the process as this one did. */
import { afterAll, afterEach, vi } from 'vitest';

const before = Reflect.ownKeys(Object.prototype).length;

// No input, however hostile, has reached the prototype of all objects.
afterEach(() => {
  if (Reflect.ownKeys(Object.prototype).length !== before) throw new Error('Object.prototype was changed');
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
