export { changeLicense, confirmNoLicense } from './model/change-license.ts';
export { LicenseHistory } from './pages/LicenseHistory.tsx';
