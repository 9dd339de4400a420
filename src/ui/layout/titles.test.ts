import { expect, it } from 'vitest';
import { crumbsOf } from './titles.ts';

it('names each titled route once, by its loader where that knows better', () => {
  const crumbs = crumbsOf([
    { pathname: '/', staticData: {} },
    { pathname: '/users', staticData: { title: 'Users' } },
    { pathname: '/users/7', staticData: { title: 'User' }, loaderData: { title: 'Ada Okafor' } },
    { pathname: '/users/7/edit', staticData: { title: 'Edit', part: true }, loaderData: { title: 5 } },
  ]);
  expect(crumbs).toEqual([
    { title: 'Users', pathname: '/users', part: false },
    { title: 'Ada Okafor', pathname: '/users/7', part: false },
    { title: 'Edit', pathname: '/users/7/edit', part: true },
  ]);
});
