/** What other rooms may ask of a site and its members. */
export { checkGrant, requireAdministrator, requireHeld } from './rules.ts';
export {
  addToGroups,
  ADMINISTRATORS,
  createFirstSite,
  ensureAdministrators,
  getSite,
  isApprovedAddress,
  listSiteIds,
  removeFromGroups,
  touchUsers,
} from './store.ts';
