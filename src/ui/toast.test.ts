import { beforeEach, expect, test } from 'vitest';
import { toast, toastStore } from './toast.ts';

beforeEach(() => toastStore.set([]));

const listTitles = () => toastStore.get().map(({ title }) => title);

test('errors stay, and make room only for newer errors', () => {
  for (const title of ['E1', 'E2']) toast({ title, tone: 'bad' });
  for (const title of ['1', '2', '3']) toast({ title });
  expect(listTitles()).toEqual(['E1', 'E2', '2', '3']);
  for (const title of ['E3', 'E4']) toast({ title, tone: 'bad' });
  expect(listTitles()).toEqual(['E1', 'E2', 'E3', 'E4']);
  for (const title of ['4', '5']) toast({ title });
  expect(listTitles()).toEqual(['E1', 'E2', 'E3', 'E4', '5']);
  toast({ title: 'E5', tone: 'bad' });
  expect(listTitles()).toEqual(['E2', 'E3', 'E4', 'E5']);
});
