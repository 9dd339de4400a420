/** What other rooms may ask of a site. */
export { createSite, getSite, isApprovedAddress, listSiteIds, lockFirstStart, type Site } from './store.ts';
export { siteHandlers } from './handlers.ts';
export { zoneCalled } from './zone.ts';
export {
  grantPlatform,
  grantPlatformFirst,
  listRunners,
  lockRunners,
  revokePlatform,
  runnersBeside,
  runsPlatform,
} from './runners.store.ts';
