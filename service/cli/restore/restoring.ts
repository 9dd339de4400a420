import { type BackupFile, columnsOf, type TableSheet } from '../../areas/backups/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import { mapped } from './people.ts';
import type { Report } from './report.ts';
import { recordsOf } from './sheets.ts';
import type { Target } from './target.ts';

/** A row of a sheet by column. */
type Texts = Record<string, string | null>;

/** A restore under way: what is read, where it goes, and which ids became which. */
export class Restoring {
  readonly file: BackupFile;
  readonly dataDir: string;
  readonly siteId: number;
  /** The site to which accounts belong whose own site is not in the backup. */
  readonly homeOfStrangers: number;
  /** To be compared with the backup afterwards: what leads nowhere is kept as it is. */
  readonly isCheck: boolean;
  readonly report: Report;
  readonly ids = {
    user: new Map<number, number>(),
    group: new Map<number, number>(),
    invitation: new Map<number, number>(),
  };
  readonly write: Target['write'];

  constructor(
    given: Pick<
      Restoring,
      'file' | 'dataDir' | 'siteId' | 'homeOfStrangers' | 'isCheck' | 'report' | 'write'
    >,
  ) {
    this.file = given.file;
    this.dataDir = given.dataDir;
    this.siteId = given.siteId;
    this.homeOfStrangers = given.homeOfStrangers;
    this.isCheck = given.isCheck;
    this.report = given.report;
    this.write = given.write;
  }

  /** Writes a sheet into its table, with the ids that people and groups have here; `more` columns follow from the row. */
  async copySheet(
    tx: Tx,
    sheet: TableSheet,
    table: keyof Tables,
    {
      more = {},
      change = (row) => row,
    }: {
      more?: Readonly<Record<string, (row: Texts) => string | null>>;
      change?: (row: Texts) => Texts | undefined;
    } = {},
  ): Promise<number> {
    const added = Object.entries<(row: Texts) => string | null>({
      site_id: () => String(this.siteId),
      ...more,
    });
    const given = columnsOf(sheet, this.file.manifest.formatVersion);
    const columns = [...added.map(([name]) => name), ...given.map(({ name }) => name)];
    let count = 0;
    for await (const records of recordsOf(this.file, sheet)) {
      const rows = records
        .map(change)
        .filter((row) => row !== undefined)
        .map((row) => [...added.map(([, value]) => value(row)), ...this.#cellsOf(given, row)]);
      count += rows.length;
      await this.write(tx, table, columns, rows);
    }
    return count;
  }

  #cellsOf(columns: TableSheet['columns'], row: Texts): (string | null)[] {
    return columns.map(({ name, of, form }) => {
      const value = row[name] ?? null;
      if (of) return mapped(this.ids[of], value);
      return form === 'hex' && value !== null ? `\\x${value}` : value;
    });
  }
}
