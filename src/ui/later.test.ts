import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { fetchAhead, later } from './later.ts';

it('draws a part whose code has been fetched ahead at once, and nothing in its place', async () => {
  const code = Promise.resolve({ default: () => 'the part' });
  const Part = later(() => code);
  fetchAhead();
  await code;
  await Promise.resolve();
  expect(renderToString(createElement(Suspense, { fallback: 'its place' }, createElement(Part)))).toContain(
    'the part',
  );
});
