import { expect, it } from 'vitest';
import { getCrumbs } from './titles.ts';

it('reads the title of a page from the function of its loader each time', () => {
  let title: string | undefined = 'Ada Okafor';
  const matches = [
    { pathname: '/users/7', staticData: { title: 'User' }, loaderData: { title: () => title } },
  ];
  expect(getCrumbs(matches)).toMatchObject([{ title: 'Ada Okafor' }]);
  title = 'Ada Nwosu';
  expect(getCrumbs(matches)).toMatchObject([{ title: 'Ada Nwosu' }]);
  title = undefined;
  expect(getCrumbs(matches)).toMatchObject([{ title: 'User' }]);
});

it('returns each titled route with the title of its loader, if any', () => {
  const crumbs = getCrumbs([
    { pathname: '/', staticData: {} },
    { pathname: '/users', staticData: { title: 'Users' } },
    { pathname: '/users/7', staticData: { title: 'User' }, loaderData: { title: 'Ada Okafor' } },
    {
      pathname: '/users/7/edit',
      staticData: { title: 'Edit', part: 'panel' },
      loaderData: { title: 5 },
    },
  ]);
  expect(crumbs).toEqual([
    { title: 'Users', pathname: '/users', isPartOfPage: false },
    { title: 'Ada Okafor', pathname: '/users/7', isPartOfPage: false },
    { title: 'Edit', pathname: '/users/7/edit', isPartOfPage: true },
  ]);
});
