import type { PastState } from '../../api/generated/types.gen.ts';
import { spoken } from '../../lib/address.ts';
import type { Search } from '../../lib/address.ts';
import { readEntriesView, writeEntriesView } from '../view.ts';
import type { EntriesView } from '../view.ts';
import { momentsIn } from './moments.ts';

/** A list as it was: what is asked for, when, and which part of it is shown. */
export interface PastView extends EntriesView {
  /** Undefined while no moment is chosen. */
  asOf: string | undefined;
  /** Only rows that are different today. */
  only: PastState | undefined;
  /** Beginning with 1. */
  page: number;
}

/** Rows of a page: enough to read, few enough to draw at once. */
export const PAGE = 100;
const STATES: readonly PastState[] = ['added', 'removed', 'changed'];

export const readPastView = (search: Search): PastView => ({
  ...readEntriesView(search),
  asOf: momentsIn(search.asOf)[0],
  only: STATES.find((state) => state === search.only),
  page: typeof search.page === 'number' && search.page > 0 ? Math.floor(search.page) : 1,
});

export const writePastView = (view: PastView) => ({
  ...writeEntriesView(view),
  ...spoken({ asOf: view.asOf, only: view.only, page: view.page === 1 ? undefined : view.page }),
});
