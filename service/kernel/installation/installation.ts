/** What a serving process knows of its installation beside the database; the page *Installation* shows it. */
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { FilePlace } from '../files/file-folder.ts';
import { checkInstallation, type Finding } from './installation-checks.ts';
import { explainUnreadiness } from './readiness.ts';

/** Checks that ran, and when. */
interface InstallationChecks {
  checkedAt: Date;
  findings: readonly Finding[];
}

export interface Installation {
  copies: Config['copies'];
  /** Results of `steward doctor` and of readiness, at most a minute old: they connect to the mail server and the public address. */
  readChecks: () => Promise<InstallationChecks>;
}

const CHECK_INTERVAL_MS = 60_000;

/** Readiness as a finding. */
async function checkReadiness(database: Database, place: FilePlace): Promise<Finding> {
  const reason = await explainUnreadiness(database, place);
  return reason === undefined
    ? {
        check: 'readiness',
        status: 'ok',
        message: 'The process accepts requests: migrations and files are right.',
      }
    : {
        check: 'readiness',
        status: 'problem',
        message: reason,
        fix: 'Until then a load balancer sends no requests to this process (/readyz).',
      };
}

/** How much of its work the standby did. */
function checkReads({ standby }: Database): Finding[] {
  if (!standby) return [];
  const { isUsable, reads, served } = standby.status;
  const share = reads === 0 ? 0 : Math.round((served / reads) * 100);
  const message = `The standby answered ${share} % of the reads for which it can be used (${served} of ${reads} since the start of this process).`;
  return [
    isUsable
      ? { check: 'standby reads', status: 'ok', message }
      : {
          check: 'standby reads',
          status: 'warning',
          message: `The primary answers all reads: the standby does not answer, or is too far behind. ${message}`,
          fix: 'Check the replication of the standby, and DATABASE_READ_MAX_LAG.',
        },
  ];
}

/** @param env environment of the process, from which its settings were read */
export function createInstallation(
  env: Readonly<Record<string, string | undefined>>,
  { copies }: Pick<Config, 'copies'>,
  { database, place }: { database: Database; place: FilePlace },
): Installation {
  let startedAt = -Infinity;
  let running: Promise<InstallationChecks> | undefined;
  const run = async (): Promise<InstallationChecks> => {
    const [readiness, findings] = await Promise.all([
      checkReadiness(database, place),
      checkInstallation(env),
    ]);
    return { checkedAt: new Date(), findings: [readiness, ...checkReads(database), ...findings] };
  };
  return {
    copies,
    readChecks() {
      if (running && performance.now() - startedAt < CHECK_INTERVAL_MS) return running;
      startedAt = performance.now();
      running = run();
      // A failure is not kept.
      running.catch(() => (running = undefined));
      return running;
    },
  };
}
