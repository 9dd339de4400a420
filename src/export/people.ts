import { getUsersByIds } from '../api/generated/sdk.gen.ts';
import { rowsOf } from '../directory/directory.ts';
import { readEveryGroup } from '../directory/groups.ts';
import { counted } from '../lib/numbers.ts';
import { cellsOf, exportColumns } from './columns.ts';
import type { ExportRow, GroupNames } from './columns.ts';
import type { PeopleRequest } from './index.ts';
import type { ExportSource } from './source.ts';

// The service takes so many ids at once, and so many rows pass to a worker without a pause that anybody feels.
const PORTION = 1000;

/** People as a table; with their federation ids, which the directory does not hold, where that is chosen. */
export function peopleSource(request: PeopleRequest, federation = false): ExportSource {
  const { userIds, filter, search } = request;
  return {
    subject: 'users',
    sheet: 'Users',
    words: (rows) => counted(rows, 'person', 'people'),
    columns: exportColumns(federation).map(({ heading, width }) => ({ heading, width })),
    total: userIds.length,
    filter,
    search,
    csvHint: 'Can be changed and imported again.',
    slow: federation,
    ...(!federation && {
      more: {
        label: 'Federation ids',
        hint: 'Are read from the service now; many take a while.',
        source: peopleSource(request, true),
      },
    }),
    async *portions(signal) {
      const groups = await groupNames();
      for (let at = 0; at < userIds.length; at += PORTION) {
        // A portion at a time: all at once would stop the page.
        // oxlint-disable-next-line no-await-in-loop
        const rows = await read(userIds.slice(at, at + PORTION), federation, signal);
        yield rows.map((row) => cellsOf(row, groups, federation));
      }
    },
  };
}

async function read(ids: readonly number[], federation: boolean, signal: AbortSignal): Promise<ExportRow[]> {
  const rows = await rowsOf(ids);
  if (!federation) return rows;
  const { data } = await getUsersByIds({ body: [...ids], signal });
  const known = new Map(data.map((user) => [user.id, user.federationId ?? undefined]));
  return rows.map((row) => ({ ...row, federationId: known.get(row.id) }));
}

const groupNames = async (): Promise<GroupNames> =>
  new Map((await readEveryGroup()).map(({ id, name }) => [id, name]));
