/** What other rooms may ask of a site and its members. */
export { checkGrant, requireAdministrator, requireHeld } from './rules.ts';
export {
  addToGroups,
  ADMINISTRATORS,
  countSites,
  createSite,
  ensureAdministrators,
  firstSite,
  getSite,
  isApprovedAddress,
  removeFromGroups,
  touchUsers,
} from './store.ts';
