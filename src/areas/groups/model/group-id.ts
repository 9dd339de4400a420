import { notFound } from '@tanstack/react-router';

const WHOLE = /^[1-9]\d{0,9}$/;

/** The id of a group in an address, for the routes below `$groupId`. */
export const groupIdParam = {
  parse({ groupId }: { groupId: string }) {
    if (!WHOLE.test(groupId)) throw notFound();
    return { groupId: Number(groupId) };
  },
  stringify: ({ groupId }: { groupId: number }) => ({ groupId: String(groupId) }),
};
