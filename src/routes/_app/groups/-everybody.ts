import type { DirectoryQuery } from '../../../directory/search.ts';

/** The whole site by name. */
export const EVERYBODY: DirectoryQuery = {
  q: '',
  filters: { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] },
  sort: { by: 'name', descending: false },
};
