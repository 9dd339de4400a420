import { useQuery } from '@tanstack/react-query';
import { ENDING_SOON_DAYS } from '../../../../contract/rules/people/invitations.ts';
import { readTwoFactorCoverageOptions } from '../../../api/generated/queries/access.gen.ts';
import {
  listConfigurationChangesOptions,
  summarizeUserActivityOptions,
} from '../../../api/generated/queries/activity.gen.ts';
import { getBackupSettingsOptions, listBackupsOptions } from '../../../api/generated/queries/backups.gen.ts';
import { countChangedEntriesOptions } from '../../../api/generated/queries/entry-history.gen.ts';
import { listInvitationsOptions } from '../../../api/generated/queries/invitations.gen.ts';
import {
  listLicenseSeatsOptions,
  listSeatTotalsOptions,
} from '../../../api/generated/queries/licenses.gen.ts';
import { listDestinationsOptions } from '../../../api/generated/queries/publications.gen.ts';
import { listEntryTypesOptions } from '../../../api/generated/queries/schema.gen.ts';
import {
  getSiteSettingsOptions,
  listSiteFiguresOptions,
  listTaskFailuresOptions,
} from '../../../api/generated/queries/settings.gen.ts';
import { getApiKeyOptions } from '../../../api/generated/queries/tokens.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { jobListQuery } from '../../jobs/index.ts';
import {
  getMonthClose,
  importSettingsQuery,
  importStatusQuery,
} from '../../relationship-intelligence/index.ts';
import { getRecentDay, hasLockOuts, listDays, LOCKED_OUT } from '../model/attention.ts';

/** Days that the key figures and the recent changes cover. */
const PERIOD_DAYS = 30;
const DAY_MS = 86_400_000;
/** Aggregates of a month change little within minutes. */
export const STALE_MS = 5 * 60_000;
/** Rows of the recent changes. */
export const CHANGES_SHOWN = 8;
/** Ending memberships of one request. */
const MAX_MEMBERSHIPS = 1_000;

/** Reads everything the page shows, as far as the viewer may; each part loads and fails on its own. */
export function useHome(openedAt: Date) {
  const days = listDays(openedAt, PERIOD_DAYS);
  const dateFrom = days[0] ?? '';
  const since = new Date(openedAt.getTime() - PERIOD_DAYS * DAY_MS).toISOString();
  const may = {
    seats: usePermission('listLicenseSeats').allowed,
    activity: usePermission('summarizeUserActivity').allowed,
    backups: usePermission('listBackups').allowed,
    coverage: usePermission('readTwoFactorCoverage').allowed,
    tasks: usePermission('listTaskFailures').allowed,
    settings: usePermission('getSiteSettings').allowed,
    entries: usePermission('listEntryTypes').allowed,
    changes: usePermission('listChangedEntries').allowed,
    configuration: usePermission('listConfigurationChanges').allowed,
    figures: usePermission('listSiteFigures').allowed,
    key: usePermission('getApiKey').allowed,
    invitations: usePermission('listInvitations').allowed,
    destinations: usePermission('listDestinations').allowed,
    importSettings: usePermission('getImportSettings').allowed,
    importStatus: usePermission('getImportStatus').allowed,
  };
  const cached = { staleTime: STALE_MS };
  const seats = useQuery({
    ...listLicenseSeatsOptions({ query: { dateFrom } }),
    ...cached,
    enabled: may.seats,
  });
  const seatTotals = useQuery({ ...listSeatTotalsOptions(), ...cached, enabled: may.seats });
  const figures = useQuery({
    ...listSiteFiguresOptions({ query: { days: PERIOD_DAYS } }),
    ...cached,
    enabled: may.figures,
  });
  const activity = useQuery({
    ...summarizeUserActivityOptions({
      body: { dateFrom: `${dateFrom}T00:00:00.000Z`, activities: [1, 2, 5, 6, 7] },
    }),
    ...cached,
    enabled: may.activity,
  });
  const lockedOut = useQuery({
    ...summarizeUserActivityOptions({
      body: { dateFrom: `${getRecentDay(openedAt)}T00:00:00.000Z`, activities: [LOCKED_OUT] },
    }),
    ...cached,
    enabled: may.activity && activity.data !== undefined && hasLockOuts(activity.data.counts, openedAt),
  });
  const memberships = useQuery({
    ...listInvitationsOptions({
      query: { endingWithinDays: ENDING_SOON_DAYS, pageNumber: 1, pageSize: MAX_MEMBERSHIPS },
    }),
    ...cached,
    enabled: may.invitations,
  });
  const destinations = useQuery({ ...listDestinationsOptions(), ...cached, enabled: may.destinations });
  const imports = useQuery({ ...importSettingsQuery, ...cached, enabled: may.importSettings });
  const importStatus = useQuery({
    ...importStatusQuery,
    ...cached,
    enabled:
      may.importStatus &&
      imports.data !== undefined &&
      getMonthClose(openedAt.getTime(), imports.data.timeZone).isNear,
  });
  const backups = useQuery({ ...listBackupsOptions(), ...cached, enabled: may.backups });
  const schedule = useQuery({ ...getBackupSettingsOptions(), ...cached, enabled: may.backups });
  const coverage = useQuery({ ...readTwoFactorCoverageOptions(), ...cached, enabled: may.coverage });
  const tasks = useQuery({ ...listTaskFailuresOptions(), ...cached, enabled: may.tasks });
  const settings = useQuery({ ...getSiteSettingsOptions(), ...cached, enabled: may.settings });
  const types = useQuery({ ...listEntryTypesOptions(), ...cached, enabled: may.entries });
  const key = useQuery({ ...getApiKeyOptions(), ...cached, enabled: may.key });
  const changes = useQuery({
    ...countChangedEntriesOptions({ query: { modifiedSince: since } }),
    ...cached,
    enabled: may.changes,
  });
  const configuration = useQuery({
    ...listConfigurationChangesOptions({ query: { from: since, limit: CHANGES_SHOWN } }),
    ...cached,
    enabled: may.configuration,
  });
  const jobs = useQuery({ ...jobListQuery('own'), select: (list) => list.jobs });
  const facts = {
    activity: activity.data?.counts,
    lockedOut: lockedOut.data?.topUsers,
    backups: backups.data?.data,
    isDailyBackup: schedule.data?.isDaily,
    coverage: coverage.data,
    jobs: jobs.data,
    taskFailures: tasks.data?.length,
    apiKey: key.data?.apiKey,
    expiredApiKey: key.data?.expiredApiKey,
    settings: settings.data,
    endingMemberships: memberships.data,
    destinations: destinations.data,
    importTimeZone: imports.data?.timeZone,
    importStatus: importStatus.data,
  };
  const queries = {
    seats,
    seatTotals,
    figures,
    activity,
    backups,
    coverage,
    tasks,
    settings,
    schedule,
    key,
    types,
    changes,
    configuration,
    jobs,
    lockedOut,
    memberships,
    destinations,
    imports,
    importStatus,
  };
  return { days, since, may, facts, ...queries };
}

/** Reads again what could not be read. */
export function retryAll(failed: readonly { refetch: () => unknown }[]): void {
  for (const { refetch } of failed) refetch();
}

export type Home = ReturnType<typeof useHome>;
