import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { lazyWithPreload } from './lazy.tsx';

it('renders a preloaded component at once, without its fallback', async () => {
  const code = Promise.resolve({ default: () => 'the component' });
  const Component = lazyWithPreload(() => code);
  Component.preload();
  await code;
  await Promise.resolve();
  const html = renderToString(
    createElement(Suspense, { fallback: 'the fallback' }, createElement(Component)),
  );
  expect(html).toContain('the component');
});

it('shows the fallback while code that was not preloaded is loaded', () => {
  const Component = lazyWithPreload(() => Promise.resolve({ default: () => 'the component' }));
  const html = renderToString(
    createElement(Suspense, { fallback: 'the fallback' }, createElement(Component)),
  );
  expect(html).toContain('the fallback');
});
