import { createFileRoute, notFound } from '@tanstack/react-router';

/** Addresses that no page has: the page that says so keeps the frame. */
export const Route = createFileRoute('/_app/$')({
  loader: () => {
    throw notFound();
  },
});
