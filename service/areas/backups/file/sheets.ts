/** Sheets of a backup that are not one table of one area: contents of files, users who left, entries. */
import {
  type SheetColumn,
  type TableSheet,
  textColumns,
  userColumns,
} from '../../../kernel/backup-sheets.ts';

/** Sheet of stored files, whether the backup contains their bytes or not. */
export const FILES_SHEET: TableSheet = {
  name: 'files.csv',
  kind: 'files',
  from: 'stored_file',
  keys: ['file_id'],
  columns: [
    { name: 'file_id', format: 'plain' },
    { name: 'hash', format: 'hex' },
    { name: 'size', format: 'plain' },
    { name: 'media_type', format: 'text' },
    { name: 'created_at', format: 'time' },
  ],
};

/** Sheet of former users whom entries, histories or members refer to; its rows are determined in the snapshot. */
export const FORMER_USERS_SHEET = {
  name: 'users/former.csv',
  kind: 'users',
  from: 'account',
  keys: ['user_id'],
  columns: [...userColumns('user_id'), ...textColumns('email', 'first_name', 'last_name')],
} satisfies TableSheet;

/** Columns of a sheet in backups of a format version. */
export const listColumns = ({ columns }: TableSheet, format: number): readonly SheetColumn[] =>
  columns.filter(({ sinceFormat: since = 1 }) => since <= format);

/** Path of a file's bytes in a backup. */
export const buildFilePath = (hash: Buffer): string => `files/${hash.toString('hex')}`;

/** Path of the sheet with the entries of a type. */
export const buildEntriesPath = (apiName: string): string => `entries/${apiName}.csv`;
