import type { DirectorySort } from '../../../directory/search.ts';
import type { Sort } from '../../../ui/table/columns.ts';
import { DEFAULT_VIEW, isSortKey } from './-view.ts';

/** The order of the directory as the table shows it. */
export const toSort = ({ by, descending }: DirectorySort): Sort => ({
  column: by,
  direction: descending ? 'descending' : 'ascending',
});

/** The order that the table asks for; its columns have the names of the directory's keys. */
export const fromSort = ({ column, direction }: Sort): DirectorySort =>
  isSortKey(column) ? { by: column, descending: direction === 'descending' } : DEFAULT_VIEW.sort;
