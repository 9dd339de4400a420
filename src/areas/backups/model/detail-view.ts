import { plain, spoken, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';

const TABS = ['overview', 'contents', 'compare', 'downloads'] as const;

/** One backup as its address says it. */
export interface DetailView {
  tab: (typeof TABS)[number];
  /** The backup to compare with; empty: the one before. */
  with: string;
}

export const readDetail = (search: Search): DetailView => ({
  tab: TABS.find((tab) => tab === search.tab) ?? TABS[0],
  with: written(search.with),
});

/** Writes a view as an address, without what is so by default. */
export const writeDetail = ({ tab, with: other }: DetailView) =>
  spoken({ tab: tab === TABS[0] ? undefined : tab, with: other === '' ? undefined : plain(other) });
