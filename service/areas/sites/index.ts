/** Sites, their settings and the platform administrators. */
export { normalizeTimeZone, parseTimeZone } from './handlers.ts';
export {
  addFirstPlatformAdministrator,
  addPlatformAdministrator,
  isPlatformAdministrator,
  pickPlatformAdministrators,
  listIndependentPlatformAdministrators,
  listPlatformAdministrators,
  lockPlatformAdministrators,
  removePlatformAdministrator,
} from './platform-administrators.store.ts';
export {
  createSite,
  getSite,
  isApprovedAddress,
  listSiteIds,
  lockFirstStart,
  type Site,
} from './sites.store.ts';
