import type { DirectoryRow } from '../../../directory/row.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { EMAIL, LICENSE, nameColumn, STATUS } from '../-person-columns.tsx';

/** The columns of a group's members. */
export const MEMBER_COLUMNS: readonly Column<DirectoryRow>[] = [
  nameColumn('/users/$userId/groups'),
  { ...EMAIL, small: 'line' },
  STATUS,
  LICENSE,
];
