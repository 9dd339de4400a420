import { getUsersByIds } from '../../../api/generated/sdk.gen.ts';
import type { ListSearchParams } from '../../../app/exports/export-store.ts';
import { readDirectoryRows } from '../../../directory/directory.ts';
import { readAllGroups } from '../../../directory/groups.ts';
import { pluralize } from '../../../lib/numbers.ts';
import type { ExportSource } from '../../export/index.ts';
import { getExportColumns, toExportCells } from '../import/export-columns.ts';
import type { GroupNames, UserExportRow } from '../import/export-columns.ts';

/** Users to export. */
export interface UserExportRequest {
  userIds: readonly number[];
  /** Search and filters as text; part of the file name and the sheet "About". */
  filter?: string;
  /** Search parameters of the exported list. */
  search?: ListSearchParams;
}

// Limit of the operation, and small enough not to block the page.
const PORTION_SIZE = 1000;

/** Export of users; federation ids are loaded separately because the directory does not hold them. */
export function createUserExportSource(request: UserExportRequest, withFederationIds = false): ExportSource {
  const { userIds, filter, search } = request;
  return {
    subject: 'users',
    sheet: 'Users',
    formatCount: (rows) => pluralize(rows, 'person', 'people'),
    columns: getExportColumns(withFederationIds).map(({ heading, width }) => ({ heading, width })),
    total: userIds.length,
    filter,
    search,
    csvHint: 'Can be changed and imported again.',
    isSlow: withFederationIds,
    ...(!withFederationIds && {
      extended: {
        label: 'Federation ids',
        hint: 'Read from the service, which takes a while for many people.',
        source: createUserExportSource(request, true),
      },
    }),
    async *portions(signal) {
      const groups = await loadGroupNames();
      for (let at = 0; at < userIds.length; at += PORTION_SIZE) {
        // A portion at a time: all at once would stop the page.
        const rows = await loadRows(userIds.slice(at, at + PORTION_SIZE), withFederationIds, signal);
        yield rows.map((row) => toExportCells(row, groups, withFederationIds));
      }
    },
  };
}

async function loadRows(
  ids: readonly number[],
  withFederationIds: boolean,
  signal: AbortSignal,
): Promise<UserExportRow[]> {
  const rows = await readDirectoryRows(ids);
  if (!withFederationIds) return rows;
  const { data } = await getUsersByIds({ body: [...ids], signal });
  const federationIdById = new Map(data.map((user) => [user.id, user.federationId ?? undefined]));
  return rows.map((row) => ({ ...row, federationId: federationIdById.get(row.id) }));
}

const loadGroupNames = async (): Promise<GroupNames> =>
  new Map((await readAllGroups()).map(({ id, name }) => [id, name]));
