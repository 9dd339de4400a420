/** What other rooms may ask of a site and its members. */
export { checkGrant, requireAdministrator, requireHeld } from './rules.ts';
export {
  addToGroups,
  ADMINISTRATORS,
  createSite,
  ensureAdministrators,
  getSite,
  isApprovedAddress,
  listSiteIds,
  lockFirstStart,
  removeFromGroups,
  touchUsers,
} from './store.ts';
