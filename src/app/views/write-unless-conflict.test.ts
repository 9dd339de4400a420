import { expect, test } from 'vitest';
import type { SavedView } from '../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../api/errors.ts';
import { confirmStore } from '../../ui/dialog/confirm.ts';
import { writeUnlessConflict } from './write-unless-conflict.ts';

const saved: SavedView = {
  id: 7,
  entryTypeId: 1,
  name: 'Large',
  isShared: true,
  ownerId: 1,
  search: '',
  query: '',
  sort: '',
  columns: { order: [], hidden: [], widths: {}, frozen: 1 },
  pinned: [],
  etag: '"3"',
  createdDate: '2026-03-01T00:00:00.000Z',
  modifiedDate: '2026-03-01T00:00:00.000Z',
};
const TEXTS = { body: 'This replaces the other change.', action: 'Rename view' };

/** A write that answers 412 to the entity tag of the older version. */
function createConflictingWrite() {
  const sent: unknown[] = [];
  const write = (headers?: { 'If-Match': string }) => {
    sent.push(headers);
    return headers ? Promise.reject(new ServiceError(412, 'Changed since')) : Promise.resolve('stored');
  };
  return { sent, write };
}
const waitForDialog = async () => {
  await expect.poll(() => confirmStore.get()?.title).toBe('Large was changed by someone else');
};
const rejectWithConflict = () => Promise.reject(new ServiceError(409, 'A view named Large exists already'));

test('writes an unchanged view with its entity tag without asking', async () => {
  const sent: unknown[] = [];
  const write = (headers?: object) => Promise.resolve(sent.push(headers));
  expect(await writeUnlessConflict(saved, TEXTS, write)).toEqual({ result: 1 });
  expect(sent).toEqual([{ 'If-Match': '"3"' }]);
  expect(confirmStore.get()).toBeNull();
});

test('overwrites a view changed by someone else only after confirmation', async () => {
  const { sent, write } = createConflictingWrite();
  const confirmed = writeUnlessConflict(saved, TEXTS, write);
  await waitForDialog();
  expect(sent).toHaveLength(1);
  await confirmStore.get()?.run?.();
  confirmStore.get()?.settle(true);
  expect(await confirmed).toEqual({ result: 'stored' });
  expect(sent).toEqual([{ 'If-Match': '"3"' }, undefined]);

  const other = createConflictingWrite();
  const declined = writeUnlessConflict(saved, TEXTS, other.write);
  await waitForDialog();
  confirmStore.get()?.settle(false);
  expect(await declined).toBeUndefined();
  expect(other.sent).toHaveLength(1);
});

test('passes other errors on', async () => {
  await expect(writeUnlessConflict(saved, TEXTS, rejectWithConflict)).rejects.toMatchObject({ status: 409 });
  expect(confirmStore.get()).toBeNull();
});
