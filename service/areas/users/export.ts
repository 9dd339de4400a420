import type { UserExport } from '../../../contract/generated/types.gen.ts';
import { getUserColumns } from '../../../contract/rules/tables/user-columns.ts';
import { type Db, readExportSnapshot } from '../../kernel/db/database.ts';
import type { Handlers } from '../../kernel/http/handler.ts';
import { defineFileJobKind } from '../../kernel/jobs/job-kind.ts';
import { describeExport, writeTable } from '../../kernel/jobs/table-export.ts';
import { startJob } from '../jobs/index.ts';
import { getUsers, type StoredUser } from '../members/index.ts';
import { listUserIds, loadGroupNames } from './export.store.ts';

type ExportParameters = Pick<UserExport, 'format' | 'filterText'> & {
  withFederationIds: boolean;
  /** Whether the owner chose the users; their ids are the selection of the job. */
  isSelection: boolean;
};

export const userExportHandlers: Handlers<'startUserExport'> = {
  startUserExport(call) {
    const { format, filterText, userIds, withFederationIds = false } = call.body;
    const parameters: ExportParameters = {
      format,
      filterText,
      withFederationIds,
      isSelection: userIds !== undefined,
    };
    return startJob(call, { kind: 'users.export', parameters, items: [], selectedIds: userIds });
  },
};

/** Job that exports users to a file. */
export const userExportJob = defineFileJobKind<ExportParameters>({
  kind: 'users.export',
  operation: 'startUserExport',
  describe: (_context, parameters) => describeExport('users', parameters),
  async produce(batch) {
    const { siteId } = batch.caller;
    const { format, filterText, withFederationIds, isSelection } = batch.parameters;
    const selected = await batch.readSelection();
    return readExportSnapshot(batch.db, async (db) => {
      const at = new Date();
      const userIds = selected ?? (await listUserIds(db, siteId));
      const groups = await loadGroupNames(db, siteId);
      return writeTable(batch, {
        format,
        columns: getUserColumns(withFederationIds).map(({ heading, width, cell }) => ({
          heading,
          width,
          cell: (user: StoredUser) => cell(user, groups),
        })),
        subject: 'users',
        type: 'Users',
        filterText: filterText ?? (isSelection ? 'Selected individually' : undefined),
        unfilteredText: 'All users',
        note: `The file contains each of the users who belonged to the site at ${at.toISOString()} once.`,
        at,
        total: userIds.length,
        pages: readPages(db, siteId, userIds),
      });
    });
  },
});

const PAGE_SIZE = 1_000;

/** Users of the site in the order of their ids in the list. */
async function* readPages(
  db: Db,
  siteId: number,
  userIds: readonly number[],
): AsyncGenerator<{ rows: readonly StoredUser[] }> {
  for (let offset = 0; offset < userIds.length; offset += PAGE_SIZE) {
    const ids = userIds.slice(offset, offset + PAGE_SIZE);
    const users = new Map((await getUsers(db, siteId, ids)).map((user) => [user.id, user]));
    yield { rows: ids.flatMap((id) => users.get(id) ?? []) };
  }
}
