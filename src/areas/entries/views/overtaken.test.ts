import { expect, test } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import type { SavedView } from '../../../api/generated/types.gen.ts';
import { confirmStore } from '../../../ui/dialog/confirm.ts';
import { unlessOvertaken } from './overtaken.ts';

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
  etag: '"3"',
  createdDate: '2026-03-01T00:00:00.000Z',
  modifiedDate: '2026-03-01T00:00:00.000Z',
};
const WORDS = { body: 'Theirs is gone.', action: 'Rename it' };

/** A view that somebody else has changed: what names its older state is refused. */
function overtaken() {
  const sent: unknown[] = [];
  const write = (headers?: { 'If-Match': string }) => {
    sent.push(headers);
    return headers ? Promise.reject(new ServiceError(412, 'Changed since')) : Promise.resolve('stored');
  };
  return { sent, write };
}
const asked = async () => {
  await expect.poll(() => confirmStore.get()?.title).toBe('Somebody else has changed Large');
};
const refused = () => Promise.reject(new ServiceError(409, 'A view named Large exists already'));

test('what nobody has changed is written as it was read, without a question', async () => {
  const sent: unknown[] = [];
  const write = (headers?: object) => Promise.resolve(sent.push(headers));
  expect(await unlessOvertaken(saved, WORDS, write)).toEqual({ made: 1 });
  expect(sent).toEqual([{ 'If-Match': '"3"' }]);
  expect(confirmStore.get()).toBeNull();
});

test('what somebody else has changed is written over only by who agrees', async () => {
  const { sent, write } = overtaken();
  const agreed = unlessOvertaken(saved, WORDS, write);
  await asked();
  expect(sent).toHaveLength(1);
  await confirmStore.get()?.run?.();
  confirmStore.get()?.settle(true);
  expect(await agreed).toEqual({ made: 'stored' });
  expect(sent).toEqual([{ 'If-Match': '"3"' }, undefined]);

  const other = overtaken();
  const turnedBack = unlessOvertaken(saved, WORDS, other.write);
  await asked();
  confirmStore.get()?.settle(false);
  expect(await turnedBack).toBeUndefined();
  expect(other.sent).toHaveLength(1);
});

test('any other refusal is for who asked', async () => {
  await expect(unlessOvertaken(saved, WORDS, refused)).rejects.toMatchObject({ status: 409 });
  expect(confirmStore.get()).toBeNull();
});
