import type { Installation, InstallationCheck } from '../../../../contract/generated/types.gen.ts';
import { getInstallationOptions } from '../../../api/generated/queries/platform.gen.ts';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';

const REFRESH_INTERVAL_MS = 15_000;

/** The state of the installation, read again while the page is visible. */
export const installationQuery = { ...getInstallationOptions(), refetchInterval: REFRESH_INTERVAL_MS };

const URGENCY = { problem: 0, warning: 1, ok: 2 } as const satisfies Record<
  InstallationCheck['status'],
  number
>;

/** Problems first, then warnings. */
export const sortChecks = (checks: readonly InstallationCheck[]): InstallationCheck[] =>
  checks.toSorted((a, b) => URGENCY[a.status] - URGENCY[b.status]);

/** The checks in one line: "1 problem, 2 warnings"; undefined if all passed. */
export function summarizeChecks(checks: readonly InstallationCheck[]): string | undefined {
  const count = (status: InstallationCheck['status']) =>
    checks.filter((check) => check.status === status).length;
  const parts = [
    count('problem') > 0 && pluralize(count('problem'), 'problem', 'problems'),
    count('warning') > 0 && pluralize(count('warning'), 'warning', 'warnings'),
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Length and age of a queue: "Empty", or "12 waiting, the oldest for 3 min". */
export function formatQueue({ length, oldestSeconds }: Installation['queues'][number]): string {
  if (length === 0) return 'Empty';
  const waiting = `${formatNumber(length)} waiting`;
  return oldestSeconds < 1 ? waiting : `${waiting}, the oldest for ${formatDuration(oldestSeconds)}`;
}
