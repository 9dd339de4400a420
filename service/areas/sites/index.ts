/** What other rooms may ask of a site. */
export { createSite, getSite, isApprovedAddress, listSiteIds, lockFirstStart, type Site } from './store.ts';
export { siteHandlers } from './handlers.ts';
