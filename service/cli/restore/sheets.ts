import {
  type BackupFile,
  columnsOf,
  type Member,
  RefusedFile,
  type TableSheet,
} from '../../areas/backups/index.ts';
import { type Cells, linesOf } from './csv.ts';

/** Rows that are written at once, and about how many characters of them. */
const PIECE_ROWS = 5_000;
const PIECE_TEXT = 4_000_000;

const lengthOf = (cells: Cells): number => cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);

/** Lines in pieces of bounded size. */
async function* inPieces(lines: AsyncIterable<Cells[]>): AsyncGenerator<Cells[]> {
  let piece: Cells[] = [];
  let size = 0;
  for await (const some of lines)
    for (const cells of some) {
      piece.push(cells);
      size += lengthOf(cells);
      if (piece.length < PIECE_ROWS && size < PIECE_TEXT) continue;
      yield piece;
      piece = [];
      size = 0;
    }
  if (piece.length > 0) yield piece;
}

/** The rows of a member without its header, which is held against the one expected. */
export async function* rowsOf(
  file: BackupFile,
  name: string,
  header: readonly string[],
): AsyncGenerator<Cells[]> {
  const member = memberCalled(file, name);
  let rows = 0;
  let isHeader = true;
  async function* body() {
    for await (const lines of linesOf(file.read(member), name)) {
      if (isHeader && lines[0]?.join('\n') !== header.join('\n'))
        throw new RefusedFile(`${name} has other columns than this version of the service knows`);
      yield isHeader ? lines.slice(1) : lines;
      isHeader = false;
    }
  }
  for await (const piece of inPieces(body())) {
    rows += piece.length;
    yield piece;
  }
  if (rows !== member.rows) throw new RefusedFile(`${name} has not as many rows as the manifest tells`);
}

export function memberCalled({ manifest }: Pick<BackupFile, 'manifest'>, name: string): Member {
  const member = manifest.members.find((each) => each.name === name);
  if (!member) throw new RefusedFile(`The backup has no ${name}`);
  return member;
}

/** The rows of a sheet of a table, each a record of texts by column; what an older format did not have is undefined. */
export async function* recordsOf(
  file: BackupFile,
  sheet: TableSheet,
): AsyncGenerator<Record<string, string | null>[]> {
  const names = columnsOf(sheet, file.manifest.formatVersion).map(({ name }) => name);
  for await (const rows of rowsOf(file, sheet.name, names))
    yield rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null])));
}
