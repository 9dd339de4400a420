import { expect, test } from 'vitest';
import { confirm, confirmStore } from './confirm.ts';

test('the end of a replaced question leaves the next one open', async () => {
  const first = confirm({ title: 'Delete it?', body: '', action: 'Delete' });
  const running = confirmStore.get();
  const second = confirm({ title: 'Discard changes?', body: '', action: 'Discard' });
  expect(await first).toBe(false);
  running?.settle(true);
  expect(confirmStore.get()?.title).toBe('Discard changes?');
  expect(confirmStore.get()?.id).not.toBe(running?.id);
  confirmStore.get()?.settle(true);
  expect(await second).toBe(true);
  expect(confirmStore.get()).toBeNull();
});
