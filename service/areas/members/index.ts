/**
 * What other rooms may ask of the members of a site: who they are, in which groups, what they may do to each other, and
 * how a change of them is told.
 */
export { ensureAdministrators, memberAdded, pairsChanged, usersChanged } from './changed.ts';
export {
  ADMINISTRATORS,
  addToGroups,
  LATER,
  lockGroups,
  removeFromGroups,
  type Pair,
} from './pairs.store.ts';
export { checkGrant, checkGroups, requireAdministrator, requireAuthorityOver, requireHeld } from './rules.ts';
export { eventOf, groupEventOf, kept, shown } from './shown.ts';
export { getUsers, listUsers, lockUser, lockUsers, type StoredUser } from './users.store.ts';
