import type { RegisteredRouter } from '@tanstack/react-router';
import { expect, test } from 'vitest';
import { applySessionIdentity, clearSession, replaceSessionIdentity } from '../../api/session-state.ts';
import { getRecentPages, recordRecentPages } from './recent-pages.ts';

const show = (userId: number, status = 'success') =>
  recordRecentPages({
    state: {
      matches: [
        { pathname: '/users', staticData: { title: 'Users' }, params: {} },
        {
          pathname: `/users/${userId}`,
          staticData: { title: 'User' },
          loaderData: { title: `Person ${userId}` },
          params: { userId },
          status,
        },
      ],
    },
    subscribe: () => () => undefined,
  } as unknown as RegisteredRouter);
const listTitles = () => getRecentPages('/').map(({ title }) => title);

test('pages that were shown while acting are not shown afterwards', () => {
  applySessionIdentity({ siteId: 1, userId: 2, reportId: 3 });
  show(7);
  expect(listTitles()).toEqual(['Person 7']);
  replaceSessionIdentity({ siteId: 1, userId: 2, reportId: undefined });
  expect(listTitles()).toEqual([]);
  show(7, 'error');
  expect(listTitles()).toEqual([]);
  show(8);
  expect(listTitles()).toEqual(['Person 8']);
  clearSession();
});
