import { startUserExport } from '../../../api/generated/sdk/jobs.gen.ts';
import { pluralize } from '../../../lib/numbers.ts';
import type { ExportSource } from '../../export/index.ts';

/** Users to export. */
interface UserExportRequest {
  /** In the order of the rows. */
  userIds: readonly number[];
  /** Search and filters as text; part of the file name and the sheet "About". */
  filter?: string;
}

/** Creates the export of users by the service as a table that can be imported again. */
export function createUserExportSource(request: UserExportRequest, withFederationIds = false): ExportSource {
  const { userIds, filter } = request;
  return {
    formatCount: (rows) => pluralize(rows, 'person', 'people'),
    total: userIds.length,
    filter,
    csvHint: 'Can be changed and imported again.',
    ...(!withFederationIds && {
      extended: {
        label: 'Federation ids',
        hint: 'The names of the users at the identity provider.',
        source: createUserExportSource(request, true),
      },
    }),
    async start(format) {
      const { data: job } = await startUserExport({
        body: {
          format,
          userIds: [...userIds],
          withFederationIds,
          ...(filter !== undefined && { filterText: filter }),
        },
      });
      return job;
    },
  };
}
