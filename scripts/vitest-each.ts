/** What holds after every test: no input, however hostile, has reached the prototype of all objects. */
import { afterEach } from 'vitest';

const before = Reflect.ownKeys(Object.prototype).length;

afterEach(() => {
  if (Reflect.ownKeys(Object.prototype).length !== before) throw new Error('Object.prototype was changed');
});
