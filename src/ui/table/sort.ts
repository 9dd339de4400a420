import { readOrder } from '../../lib/address.ts';
import type { Order } from '../../lib/address.ts';
import type { Sort } from './columns.ts';

/** An order as the table shows it; its columns have the names of the order's keys. */
export const toSort = ({ by, descending }: Order<string>): Sort => ({
  column: by,
  direction: descending ? 'descending' : 'ascending',
});

/** The order that the table asks for. */
export const fromSort = <Key extends string>(
  { column, direction }: Sort,
  keys: readonly [Key, ...Key[]],
): Order<Key> => readOrder(`${direction === 'descending' ? '-' : ''}${column}`, keys);
