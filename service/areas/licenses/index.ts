/** Licenses: changing them, and the seats that are agreed with a site. */
export { listSeatTotals, setSeatTotal, type StoredSeatTotal } from './licenses.store.ts';
export { setLicenses } from './set-licenses.ts';
