import type { PastState } from '../../../api/generated/types.gen.ts';
import { spoken } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';
import { readEntriesView, writeEntriesView } from '../model/view.ts';
import type { EntriesView } from '../model/view.ts';
import { momentsIn } from './moments.ts';

/** A list as it was: what is asked for, when, and which part of it is shown. */
export interface PastView extends EntriesView {
  /** Undefined while no moment is chosen. */
  asOf: string | undefined;
  /** Only rows that are different today. */
  only: PastState | undefined;
  /** Those that were added since stand among the others. */
  withAdded: boolean;
}

const STATES: readonly PastState[] = ['added', 'removed', 'changed'];

export const readPastView = (search: Search): PastView => ({
  ...readEntriesView(search),
  asOf: momentsIn(search.asOf)[0],
  only: STATES.find((state) => state === search.only),
  withAdded: search.added === true,
});

export const writePastView = (view: PastView) => ({
  ...writeEntriesView(view),
  ...spoken({ asOf: view.asOf, only: view.only, added: view.withAdded ? true : undefined }),
});
