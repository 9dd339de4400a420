import type { JobCellValue } from '../../../../contract/generated/types.gen.ts';

/** Settings for all rows of an import. */
export interface EntryImportParameters {
  typeId: number;
  fileName: string;
  sheet?: string | undefined;
  /** Headings of the columns of the file. */
  columns?: readonly string[] | undefined;
  ignoreNearDups: boolean;
  skipsInvalidRows?: boolean | undefined;
}

/** Effect of a row: the entry, the values that it replaced, and the written values of fields that name other items. */
export interface ImportedRow {
  entryId: number;
  isNew?: true;
  values?: readonly JobCellValue[];
  references?: readonly JobCellValue[];
}

/** A file with the worksheet that was read: `companies.xlsx, sheet “Companies”`. */
export const formatFile = ({ fileName, sheet }: Pick<EntryImportParameters, 'fileName' | 'sheet'>): string =>
  sheet === undefined ? fileName : `${fileName}, sheet “${sheet}”`;
