/** Checks an installation from its host: `steward doctor` and the page *Installation*. Only probes are written, and removed. */
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as connectTls, type PeerCertificate } from 'node:tls';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { tryToCreate } from '../create-folder.ts';
import {
  CREATE_UTF8_DATABASE,
  inspectServer,
  inspectStandby,
  type ServerState,
  type StandbyState,
} from '../db/inspect.ts';
import { getErrorCode } from '../error-code.ts';
import { describeStoreError } from '../files/blob-store.ts';
import { openBlobStore } from '../files/open-store.ts';
import { tryStore } from '../files/shared-store-check.ts';
import { readSmtpUrl } from '../mail/smtp-url.ts';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
  /** What to do; only of warnings and problems. */
  fix?: string;
}

const TIMEOUT_MS = 5_000;
const MAX_CLOCK_DIFFERENCE_MS = 2_000;
const MIN_FREE_BYTES = 1e9;
const MIN_CERTIFICATE_DAYS = 14;
const DAY_MS = 86_400_000;
const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'warning',
  message,
  fix,
});
const problem = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'problem',
  message,
  fix,
});

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs all checks. One that cannot run reports a problem and does not stop the others. */
export async function checkInstallation(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem('settings', error.message.replaceAll(/\s*\n\s*/g, ' '), 'Correct the named settings.')];
  }
  const groups = await Promise.all([
    checkDatabase(config),
    checkStandby(config),
    checkDisk(config),
    checkFiles(config),
    checkMail(config),
    checkTls(config),
    checkSecrets(config),
  ]);
  return [ok('settings', 'All settings are valid.'), ...groups.flat(), ...checkProxies(config)];
}

async function checkDatabase({ databaseUrl, dataDir }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined)
    return [
      warning(
        'database',
        `The embedded database in ${join(dataDir, 'db')} is used: a power failure can lose the last writes.`,
        'Set DATABASE_URL to a PostgreSQL for data that matters.',
      ),
    ];
  try {
    return describeServer(await inspectServer(databaseUrl.reveal(), TIMEOUT_MS));
  } catch (error) {
    return [
      problem(
        'database',
        `PostgreSQL cannot be used: ${describe(error)}`,
        'Check that the server runs and that host, port, user, password and database of DATABASE_URL are right.',
      ),
    ];
  }
}

async function checkStandby({ databaseUrl, reads }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined || reads === undefined) return [];
  try {
    const state = await inspectStandby(reads.databaseUrl.reveal(), databaseUrl.reveal(), TIMEOUT_MS);
    return [describeStandby(state)];
  } catch (error) {
    return [
      warning(
        'standby',
        `The standby cannot be used, so the primary answers all reads: ${describe(error)}`,
        'Check that the server runs and that host, port, user, password and database of DATABASE_READ_URL are right.',
      ),
    ];
  }
}

/** Finding about the server of DATABASE_READ_URL. Exported for tests. */
export function describeStandby({ isInRecovery, isOfPrimary, lagBytes }: StandbyState): Finding {
  if (!isOfPrimary)
    return problem(
      'standby',
      'DATABASE_READ_URL leads to a server that is no copy of the one of DATABASE_URL.',
      'Let it lead to a hot standby of the primary (docs/operating.md).',
    );
  if (!isInRecovery)
    return warning(
      'standby',
      'DATABASE_READ_URL leads to a primary, which answers no reads through it.',
      'Let it lead to a hot standby; after a failover, to one of the new primary.',
    );
  return ok('standby', `The standby answers, ${formatBytes(lagBytes)} behind the primary.`);
}

const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** Findings about a PostgreSQL server. Exported for tests. */
export function describeServer(state: ServerState): Finding[] {
  const {
    version,
    encoding,
    isReadOnly,
    canHaveTables,
    missingExtensions,
    canCreateExtensions,
    clockDifferenceMs,
    plainTables,
  } = state;
  const major = Math.floor(version / 10_000);
  const findings: Finding[] = [
    major >= 15
      ? ok('database', `PostgreSQL ${major} answers.`)
      : problem('database', `PostgreSQL ${major} is too old.`, 'Use PostgreSQL 15 or newer.'),
  ];
  if (encoding !== 'UTF8')
    findings.push(problem('database', `The database has the encoding ${encoding}.`, CREATE_UTF8_DATABASE));
  if (isReadOnly)
    findings.push(
      problem(
        'database',
        'The server is read-only.',
        'Let DATABASE_URL lead to the primary, and check default_transaction_read_only.',
      ),
    );
  if (!canHaveTables)
    findings.push(
      problem(
        'database',
        'The user of DATABASE_URL may not create tables.',
        'Let the user own the database, and check that its search_path names a schema that exists.',
      ),
    );
  findings.push(
    missingExtensions.length === 0
      ? ok('extensions', 'pg_trgm and btree_gin are installed.')
      : canCreateExtensions
        ? ok('extensions', `${missingExtensions.join(', ')}: created by the first start.`)
        : problem(
            'extensions',
            `${missingExtensions.join(', ')}: not installed.`,
            `Run as a superuser: ${missingExtensions.map((name) => `create extension ${name};`).join(' ')}`,
          ),
  );
  findings.push(
    Math.abs(clockDifferenceMs) <= MAX_CLOCK_DIFFERENCE_MS
      ? ok('clock', 'This host and the database agree on the time.')
      : problem(
          'clock',
          `The clock of the database differs by ${(clockDifferenceMs / 1000).toFixed(1)} s.`,
          'Synchronize the clocks of both hosts, for example with chrony or systemd-timesyncd.',
        ),
  );
  if (plainTables.length > 0)
    findings.push(
      warning(
        'partitions',
        `Not partitioned: ${plainTables.join(', ')}. Their space is not given back when old rows are deleted.`,
        'Restart the service while no long transaction runs, as the owner of the tables with the right to create a schema.',
      ),
    );
  return findings;
}

/** Why DATA_DIR cannot be used, with what to do; undefined if it is a folder of this user, or can become one. */
async function findFolderProblem(dataDir: string): Promise<Pick<Finding, 'message' | 'fix'> | undefined> {
  const fix = 'Let the user of the service read and write the folder.';
  try {
    await access(dataDir, constants.R_OK | constants.W_OK);
    if ((await stat(dataDir)).isDirectory()) return undefined;
    return { message: `DATA_DIR cannot be used: ${dataDir} is a file.`, fix: 'Let DATA_DIR name a folder.' };
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' && getErrorCode(error) !== 'ENOTDIR')
      return { message: `DATA_DIR cannot be used: ${describe(error)}`, fix };
    const failure = await tryToCreate(dataDir);
    return (
      failure && {
        message: `DATA_DIR cannot be created: no folder can be made in ${failure.parent} (${failure.code}).`,
        fix: 'Create the folder for the user of the service, or let DATA_DIR name another one.',
      }
    );
  }
}

async function checkDisk({ dataDir }: Config): Promise<Finding[]> {
  const found = await findFolderProblem(dataDir);
  if (found) return [{ check: 'disk', status: 'problem', ...found }];
  const space = await statfs(dataDir).catch(() => undefined);
  if (!space) return [ok('disk', `The first start creates ${dataDir}.`)];
  const freeBytes = space.bavail * space.bsize;
  const message = `${(freeBytes / 1e9).toFixed(1)} GB are free in ${dataDir}.`;
  return [
    freeBytes >= MIN_FREE_BYTES
      ? ok('disk', message)
      : problem('disk', message, 'Free space, or move DATA_DIR to a larger disk.'),
  ];
}

/** Writes, reads and deletes a probe where files are stored. */
async function checkFiles(config: Config): Promise<Finding[]> {
  // The check of the disk says so, and nothing can be written on the way to the store.
  if (await findFolderProblem(config.dataDir)) return [];
  const isFolder = config.s3 === undefined;
  // The first start creates the folder.
  if (isFolder && !(await stat(config.dataDir).catch(() => undefined))) return [];
  const blobs = await openBlobStore(config);
  try {
    await tryStore({ dataDir: config.dataDir, blobs });
    return [ok('files', `Files can be written, read and deleted in ${blobs.place}.`)];
  } catch (error) {
    return [
      problem(
        'files',
        `Files cannot be written, read and deleted in ${blobs.place}: ${describeStoreError(error)}`,
        isFolder
          ? 'Let the user of the service read and write the folder.'
          : 'Check S3_ENDPOINT, S3_REGION, S3_BUCKET and S3_PATH_STYLE, and that the key may get, put, delete and list objects of the bucket.',
      ),
    ];
  } finally {
    blobs.close();
  }
}

async function checkMail({ smtpUrl, dataDir }: Config): Promise<Finding[]> {
  if (smtpUrl === undefined)
    return [
      warning('mail', `Mail is written to ${join(dataDir, 'mail')}.`, 'Set SMTP_URL to a mail server.'),
    ];
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: readSmtpUrl(smtpUrl).url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  });
  try {
    await transport.verify();
    return [ok('mail', 'The mail server accepts connections.')];
  } catch (error) {
    return [
      problem(
        'mail',
        `The mail server does not accept a connection: ${describe(error)}`,
        getErrorCode(error) === 'ETLS'
          ? 'Let the server offer STARTTLS, or use smtps:// in SMTP_URL; on a network that you trust add ?requireTLS=false.'
          : 'Check host, port, user and password of SMTP_URL, and the firewall.',
      ),
    ];
  } finally {
    transport.close();
  }
}

async function checkTls({ publicUrl }: Config): Promise<Finding[]> {
  const url = new URL(publicUrl);
  if (url.protocol === 'http:')
    return [
      LOCAL_HOST.test(url.hostname)
        ? ok('tls', 'PUBLIC_URL is on this machine.')
        : warning(
            'tls',
            'PUBLIC_URL has no TLS: passwords and sessions can be read on the network.',
            'Put a reverse proxy with a certificate before the service (docs/deploying.md) and set PUBLIC_URL to its https address.',
          ),
    ];
  try {
    const certificate = await fetchCertificate(url);
    return [describeCertificate(certificate, Date.now())];
  } catch (error) {
    return [
      problem(
        'tls',
        `No valid TLS connection to ${url.host}: ${describe(error)}`,
        'Check the name in DNS, the reverse proxy, and that its certificate is complete and names this host.',
      ),
    ];
  }
}

/** Finding about the certificate of PUBLIC_URL. Exported for tests. */
export function describeCertificate(
  { valid_to: end }: Pick<PeerCertificate, 'valid_to'>,
  now: number,
): Finding {
  const days = Math.floor((Date.parse(end) - now) / DAY_MS);
  return days >= MIN_CERTIFICATE_DAYS
    ? ok('tls', `The certificate of PUBLIC_URL is valid for ${days} days.`)
    : warning(
        'tls',
        `The certificate of PUBLIC_URL ends in ${days} days.`,
        'Renew it, and check that renewals happen by themselves.',
      );
}

function fetchCertificate(url: URL): Promise<PeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const socket = connectTls({ host, port: Number(url.port || 443), servername: host });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer within 5 seconds')));
  socket.once('error', reject).once('secureConnect', () => resolve(socket.getPeerCertificate()));
  return promise.finally(() => socket.destroy());
}

function checkProxies({ trustedProxies, publicUrl, host }: Config): Finding[] {
  const everyone = trustedProxies.filter((proxy) => /\/0+$/.test(proxy));
  if (everyone.length > 0)
    return [
      problem(
        'proxies',
        `TRUSTED_PROXIES trusts everybody (${everyone.join(', ')}): callers can forge their address.`,
        'Name the addresses of the reverse proxies only.',
      ),
    ];
  const isBehindProxy =
    publicUrl.startsWith('https:') || LOCAL_HOST.test(host) !== LOCAL_HOST.test(new URL(publicUrl).hostname);
  if (isBehindProxy && trustedProxies.length === 0)
    return [
      warning(
        'proxies',
        'The service is behind a reverse proxy that TRUSTED_PROXIES does not name: every request seems to come from the proxy.',
        'Set TRUSTED_PROXIES to the address of the proxy, such as 127.0.0.1.',
      ),
    ];
  return [
    ok(
      'proxies',
      trustedProxies.length > 0 ? `Trusted: ${trustedProxies.join(', ')}.` : 'No proxy is trusted.',
    ),
  ];
}

async function checkSecrets({ secretKey, databaseUrl, dataDir }: Config): Promise<Finding[]> {
  if (secretKey !== undefined) return [ok('secrets', 'STEWARD_SECRET_KEY is set.')];
  const file = join(dataDir, 'secret.key');
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => undefined,
  );
  if (mode === undefined)
    return (await findFolderProblem(dataDir))
      ? []
      : [ok('secrets', `The first start creates the key in ${file}.`)];
  if ((mode & 0o077) !== 0 && process.platform !== 'win32')
    return [problem('secrets', `Other users can read ${file}.`, `Run: chmod 600 ${file}`)];
  if (databaseUrl !== undefined)
    return [
      warning(
        'secrets',
        `The key is in ${file}; processes with another DATA_DIR would have another key.`,
        'Set STEWARD_SECRET_KEY to its content if several processes share the database, and keep a copy of it.',
      ),
    ];
  return [
    ok('secrets', `Only the service can read ${file}; keep a copy of it apart from copies of the database.`),
  ];
}
