import { notFound } from '@tanstack/react-router';

const ID_PATTERN = /^[1-9]\d{0,9}$/;

/** Path parameter of the routes below `$groupId`; an invalid id is not found. */
export const groupIdParam = {
  parse({ groupId }: { groupId: string }) {
    if (!ID_PATTERN.test(groupId)) throw notFound();
    return { groupId: Number(groupId) };
  },
  stringify: ({ groupId }: { groupId: number }) => ({ groupId: String(groupId) }),
};
