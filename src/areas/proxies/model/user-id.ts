import { notFound } from '@tanstack/react-router';

const WHOLE = /^[1-9]\d{0,9}$/;

/** The id of a user in an address, for the routes of panels. */
export const userIdParam = {
  parse({ userId }: { userId: string }) {
    if (!WHOLE.test(userId)) throw notFound();
    return { userId: Number(userId) };
  },
  stringify: ({ userId }: { userId: number }) => ({ userId: String(userId) }),
};
