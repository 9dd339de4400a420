/** Licenses: changing them. */
export { setLicenses } from './set-licenses.ts';
