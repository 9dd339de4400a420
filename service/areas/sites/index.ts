/** What other rooms may ask of a site. */
export { createSite, getSite, isApprovedAddress, listSiteIds, lockFirstStart } from './store.ts';
