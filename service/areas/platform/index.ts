/** Administration of the platform: its sites. */
export { insertSite } from './platform.store.ts';
