import { readSearchText } from '../../lib/search-params.ts';
import type { Search } from '../../lib/search-params.ts';

/** View of the list of exports, kept in the URL. */
export interface ExportsView {
  owner: 'own' | 'others';
  /** Name of the exported type; empty for all. */
  type: string;
}

export const EXPORTS_DEFAULTS: ExportsView = { owner: 'own', type: '' };

/** Parses the search parameters; invalid values fall back to the default. */
export const parseExportsView = ({ owner, type }: Search): ExportsView => ({
  owner: owner === 'others' ? owner : EXPORTS_DEFAULTS.owner,
  type: readSearchText(type),
});
