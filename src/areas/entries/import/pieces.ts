import type { Planned } from '../../import/plan.ts';
import { workOf } from './requests.ts';

// A request is one transaction: small enough not to hold others up, and to be sent again without what was refused.
const MOST_ROWS = 200;
const MOST_ITEMS = 2000;
const MOST_TEXT = 2_000_000;

const textOf = (plan: Planned): number =>
  workOf(plan).items.reduce((sum, { value }) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Rows in pieces, each of which is one request. */
export function piecesOf(rows: readonly Planned[]): readonly (readonly Planned[])[] {
  const pieces: Planned[][] = [];
  let [items, text] = [0, 0];
  for (const plan of rows) {
    items += workOf(plan).items.length;
    text += textOf(plan);
    const last = pieces.at(-1);
    if (last && last.length < MOST_ROWS && items <= MOST_ITEMS && text <= MOST_TEXT) last.push(plan);
    else {
      pieces.push([plan]);
      [items, text] = [workOf(plan).items.length, textOf(plan)];
    }
  }
  return pieces;
}
