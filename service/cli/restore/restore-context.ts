import { type BackupFile, listColumns } from '../../areas/backups/index.ts';
import type { TableSheet } from '../../kernel/backup-sheets.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import type { BlobStore } from '../../kernel/files/blob-store.ts';
import type { RestoreReport } from './report.ts';
import { readRecords } from './sheets.ts';
import type { RestoreTarget } from './target.ts';

/** A row of a sheet: column → text. */
type TextRow = Record<string, string | null>;

/** The mapped id as text; null if the backup does not contain it. */
export const mapId = (ids: ReadonlyMap<number, number>, id: string | null): string | null =>
  id === null ? null : (ids.get(Number(id))?.toString() ?? null);

/** State of a running restore: source, target, report and the mapping of ids. */
export class RestoreContext {
  readonly file: BackupFile;
  readonly dataDir: string;
  readonly blobs: BlobStore;
  readonly siteId: number;
  /** Home site of new accounts whose home site is not the restored one. */
  readonly foreignHomeSiteId: number;
  /** Whether the result is compared with the backup; dangling references are kept then. */
  readonly isVerification: boolean;
  readonly report: RestoreReport;
  /** Id in the backup → id in this installation. */
  readonly ids = {
    user: new Map<number, number>(),
    group: new Map<number, number>(),
    invitation: new Map<number, number>(),
  };
  readonly write: RestoreTarget['write'];

  constructor(
    values: Pick<
      RestoreContext,
      'file' | 'dataDir' | 'blobs' | 'siteId' | 'foreignHomeSiteId' | 'isVerification' | 'report' | 'write'
    >,
  ) {
    this.file = values.file;
    this.dataDir = values.dataDir;
    this.blobs = values.blobs;
    this.siteId = values.siteId;
    this.foreignHomeSiteId = values.foreignHomeSiteId;
    this.isVerification = values.isVerification;
    this.report = values.report;
    this.write = values.write;
  }

  /**
   * Writes a sheet into its table with mapped ids of users, groups and invitations. `transform` changes a row or drops it
   * (undefined). @returns the number of rows
   */
  async copySheet(
    tx: Tx,
    sheet: TableSheet,
    table: keyof Tables,
    {
      computedColumns = {},
      transform = (row) => row,
    }: {
      computedColumns?: Readonly<Record<string, (row: TextRow) => string | null>>;
      transform?: (row: TextRow) => TextRow | undefined;
    } = {},
  ): Promise<number> {
    const computed = Object.entries<(row: TextRow) => string | null>({
      site_id: () => String(this.siteId),
      ...computedColumns,
    });
    const sheetColumns = listColumns(sheet, this.file.manifest.formatVersion);
    const columns = [...computed.map(([name]) => name), ...sheetColumns.map(({ name }) => name)];
    let count = 0;
    for await (const records of readRecords(this.file, sheet)) {
      const rows = records
        .map(transform)
        .filter((row) => row !== undefined)
        .map((row) => [...computed.map(([, value]) => value(row)), ...this.#toCells(sheetColumns, row)]);
      count += rows.length;
      await this.write(tx, table, columns, rows);
    }
    return count;
  }

  #toCells(columns: TableSheet['columns'], row: TextRow): (string | null)[] {
    return columns.map(({ name, references, format }) => {
      const value = row[name] ?? null;
      if (references) return mapId(this.ids[references], value);
      return format === 'hex' && value !== null ? `\\x${value}` : value;
    });
  }
}
