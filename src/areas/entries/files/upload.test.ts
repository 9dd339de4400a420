import { expect, test } from 'vitest';
import { formOf, inTurn, LARGEST, whyNotSent } from './upload.ts';

test('a file is sent behind what it is for', () => {
  const file = new File(['x'], 'plän.png', { type: 'image/png' });
  const form = formOf({ typeId: 1, entryId: 2, fieldId: 3, file });
  expect([...form.keys()]).toEqual(['model', 'files']);
  const model = form.get('model');
  expect(JSON.parse(typeof model === 'string' ? model : '')).toEqual({
    binaryStoreRequests: [{ entryId: 2, fieldId: 3, name: 'plän.png', contentType: 'image/png' }],
  });
});

test('what the service would refuse is told before it is sent', () => {
  expect(whyNotSent({ name: 'a', size: 1 })).toBeUndefined();
  expect(whyNotSent({ name: 'a', size: 0 })).toBe('It is empty');
  expect(whyNotSent({ name: 'a', size: LARGEST + 1 })).toBe('It is larger than 25 MB');
  expect(whyNotSent({ name: 'a'.repeat(256), size: 1 })).toContain('255');
});

test('files are sent one after the other, without those that were let go while they waited', async () => {
  const waiting = new Set<number>();
  const said: string[] = [];
  await inTurn([{ id: 1 }, { id: 2 }, { id: 3 }], waiting, async ({ id }) => {
    said.push(`begins ${id}`);
    if (id === 1) waiting.delete(2);
    await Promise.resolve();
    said.push(`ends ${id}`);
  });
  expect(said).toEqual(['begins 1', 'ends 1', 'begins 3', 'ends 3']);
});
