import { parsePathId } from '../../../lib/ids.ts';

/** Path parameter of the routes below `$groupId`; an invalid id is not found. */
export const groupIdParam = {
  parse: ({ groupId }: { groupId: string }) => ({ groupId: parsePathId(groupId) }),
  stringify: ({ groupId }: { groupId: number }) => ({ groupId: String(groupId) }),
};
