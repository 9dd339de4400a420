import { expect, test } from 'vitest';
import { buildUploadForm, uploadSequentially, MAX_FILE_BYTES, getUploadError } from './upload.ts';

test('puts the model before the file', () => {
  const file = new File(['x'], 'plän.png', { type: 'image/png' });
  const form = buildUploadForm({ typeId: 1, entryId: 2, fieldId: 3, file });
  expect([...form.keys()]).toEqual(['model', 'files']);
  const model = form.get('model');
  expect(JSON.parse(typeof model === 'string' ? model : '')).toEqual({
    binaryStoreRequests: [{ entryId: 2, fieldId: 3, name: 'plän.png', contentType: 'image/png' }],
  });
});

test('finds files that the service would refuse', () => {
  expect(getUploadError({ name: 'a', size: 1 })).toBeUndefined();
  expect(getUploadError({ name: 'a', size: 0 })).toBe('The file is empty');
  expect(getUploadError({ name: 'a', size: MAX_FILE_BYTES + 1 })).toBe('The file is larger than 25 MB');
  expect(getUploadError({ name: 'a'.repeat(256), size: 1 })).toContain('255');
});

test('uploads files sequentially without those canceled while waiting', async () => {
  const waiting = new Set<number>();
  const events: string[] = [];
  await uploadSequentially([{ id: 1 }, { id: 2 }, { id: 3 }], waiting, async ({ id }) => {
    events.push(`starts ${id}`);
    if (id === 1) waiting.delete(2);
    await Promise.resolve();
    events.push(`ends ${id}`);
  });
  expect(events).toEqual(['starts 1', 'ends 1', 'starts 3', 'ends 3']);
});
