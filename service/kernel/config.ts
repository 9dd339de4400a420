import { isIP } from 'node:net';
import { join } from 'node:path';
import { getDbError, isConnectionRefused } from './db/driver/errors.ts';
import { type EgressRule, parseEgressRules } from './network/egress.ts';
import { NAMED_NETWORKS } from './network/networks.ts';
import { parseSecretKey, Secret } from './secret.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Days for which the rows of the logs of all sites are kept; null: for good. */
export interface LogRetention {
  activityDays: number | null;
  auditDays: number | null;
}

/** The bucket of an S3-compatible store. */
export interface S3Settings {
  /** Address without a path: `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Start of the names of all objects, without a slash at its end; may be empty. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: Secret;
  /** Whether the bucket is in the path of the address instead of its host name. */
  usesPathStyle: boolean;
}

/** Settings of a service process, read from the environment at start (README, table of settings). */
export interface Config {
  host: string;
  port: number;
  /** Folder of this process; all processes share it unless files are in a bucket. */
  dataDir: string;
  /** Where files are; undefined: in DATA_DIR. */
  s3: S3Settings | undefined;
  databaseUrl: Secret | undefined;
  /** Whether a commit of the embedded database waits until it is on the disk. */
  syncsToDisk: boolean;
  /** A hot standby that answers reads; undefined: none does. */
  reads: { databaseUrl: Secret; maxConnections: number; maxLagMs: number } | undefined;
  /** Connections to PostgreSQL: their number, and whether a pooler gives each transaction another session. */
  pool: { maxConnections: number; isPooled: boolean };
  /** Longest execution of a statement, and longest wait for a connection, in milliseconds. */
  limits: { statementMs: number; waitMs: number };
  /** Public address of the console, with which links in mails start. No trailing slash. */
  publicUrl: string;
  /** Addresses or networks (CIDR) of reverse proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: string[];
  smtpUrl: Secret | undefined;
  /** Servers that the service may call, such as identity providers. */
  egressRules: readonly EgressRule[];
  /** Key that encrypts secrets such as seeds of authenticator apps; default: a key file in the data folder. */
  secretKey: Secret | undefined;
  /** Account of the first administrator, instead of the one-time link. */
  firstAdministrator: { email: string; password: Secret } | undefined;
  /** Bytes that the files of a site may use unless platform administrators set another limit; null: no limit. */
  storageQuota: number | null;
  /** Days for which the rows of logs are kept; null: for good. */
  logRetention: LogRetention;
  /** Office program that converts documents to PDF. */
  officeProgram: string | undefined;
  /** Whether the very first start creates the sample site. */
  createsSample: boolean;
  /** Time after a stop signal in which connections are still accepted while the service already reports not ready. */
  stopDelaySeconds: number;
  /** Time in which requests and tasks may finish after the delay; then the process exits anyway. */
  stopTimeoutSeconds: number;
  /** Address of the metrics; undefined: they are not served. */
  metrics: { host: string; port: number } | undefined;
  /** Copies of the embedded database: their folder, and the hours from one to the next; undefined: none are made. */
  copies: { folder: string; hours: number } | undefined;
  /** Receiver of traces and metrics by OTLP; undefined: they are not exported. */
  telemetry: { endpoint: string; sampleRatio: number } | undefined;
  logLevel: (typeof LOG_LEVELS)[number];
}

const MAX_STOP_DELAY_SECONDS = 300;
const MAX_STOP_TIMEOUT_SECONDS = 3_600;
/** Less than the 30 seconds that Kubernetes waits before it kills a process. */
const DEFAULT_STOP_TIMEOUT_SECONDS = 25;

/** Bytes of the units of sizes in settings. */
const SIZE_UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

/** Parses a size such as 500MB or 1.5 TB, or `off`. @returns bytes, null for `off`, undefined for anything else */
function parseSize(text: string): number | null | undefined {
  if (text === 'off') return null;
  const [, amount = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(MB|GB|TB)$/i.exec(text.trim()) ?? [];
  const factor = SIZE_UNITS[unit.toUpperCase()];
  return factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

const DAYS_PER_UNIT: Readonly<Record<string, number>> = { days: 1, years: 365.25 };
/** The report on activity covers 90 days, and open pages need a week more (docs/decisions/0018). */
const MIN_ACTIVITY_DAYS = 98;
const MIN_AUDIT_DAYS = 1;

/** Parses an age such as `98 days` or `7 years`, or `off`. @returns days, null for `off`, undefined for anything else */
function parseDays(text: string, minDays: number): number | null | undefined {
  if (text === 'off') return null;
  const [, amount = '', unit = ''] = /^([1-9]\d{0,4}) ?(days|years)$/.exec(text.trim()) ?? [];
  const days = Math.ceil(Number(amount) * (DAYS_PER_UNIT[unit] ?? Number.NaN));
  return days >= minDays && days <= 36_525 ? days : undefined;
}

/** Invalid settings, one per line, each with its name and the form that is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';

  constructor(issues: readonly string[]) {
    super(`These settings are invalid:\n  ${issues.join('\n  ')}`);
  }
}

/** An error of the system or a server, with the names of the settings that it is about. */
export const nameSettings = (settings: string, error: unknown): Error =>
  new Error(`${settings}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });

/** Whether a text is an address, a network with a prefix length such as 10.0.0.0/8, or the name of networks. */
function isProxy(text: string): boolean {
  if (Object.hasOwn(NAMED_NETWORKS, text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** The address of a server without TLS: `http://[::1]:4400`. */
export const formatHttpAddress = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const hasProtocol = (text: string, protocols: readonly string[]): boolean => {
  const url = URL.parse(text);
  return url !== null && url.hostname !== '' && protocols.includes(url.protocol);
};

/** An error of the system about a file of the folder, with the setting of the folder; any other error as it is. */
export const nameDataDir = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error && 'path' in error ? nameSettings('DATA_DIR', error) : error;

/** Errors of a server that answers and cannot be used as it is, with what an operator can do, by SQLSTATE. */
const SERVER_ADVICE: Readonly<Record<string, string>> = {
  '08P01': 'Behind a pooler set DATABASE_POOLED=on.',
  '25006': 'Use the primary server, and check default_transaction_read_only.',
  '3F000': 'Let the search_path of the user name a schema that exists.',
  '42501': 'Let the user of the URL own the database.',
  '53300': 'Raise the limit of connections of the server or the user.',
};

/**
 * An error of opening the database, which names the setting of its address if the server cannot be reached, refuses its user or cannot be
 * used as it is.
 */
export function nameDatabaseUrl(error: unknown, setting = 'DATABASE_URL'): unknown {
  const advice = SERVER_ADVICE[getDbError(error)?.code ?? ''];
  if (advice !== undefined && error instanceof Error)
    return nameSettings(setting, new Error(`${error.message}. ${advice}`, { cause: error }));
  return isConnectionRefused(error) ? nameSettings(setting, error) : error;
}

/**
 * URLs of PostgreSQL servers begin with one of two protocols; the host may be missing for a socket, also behind a user. A character such as # in
 * the password ends the host too early. @returns whether the text is such a URL
 */
export const isServerUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@socket/'));

/** Remedy for most URLs that cannot be read: their password ends the host too early. */
export const PASSWORD_HINT = 'with characters such as # / @ in the password percent-encoded (%23 %2F %40)';

type Env = Readonly<Record<string, string | undefined>>;

/** The form of the names of buckets that all stores accept. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const OBJECT_PREFIX = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** The HTTP address of a server only. @returns whether the text is that */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return (
    hasProtocol(text, ['http:', 'https:']) &&
    `${url?.username}${url?.password}${url?.search}${url?.hash}` === '' &&
    url?.pathname === '/'
  );
}

/** Reads BLOB_STORE and the settings of a bucket. @returns undefined for files in DATA_DIR */
function readS3Settings(env: Env, usesPathStyle: boolean, issues: string[]): S3Settings | undefined {
  const store = env['BLOB_STORE'] || 'folder';
  if (store !== 's3') {
    if (store !== 'folder') issues.push('BLOB_STORE: folder or s3');
    for (const name of ['S3_ENDPOINT', 'S3_BUCKET'])
      if (env[name]) issues.push(`${name}: has an effect with BLOB_STORE=s3 only`);
    return undefined;
  }
  const read = (name: string, isValid: (text: string) => boolean, form: string): string => {
    const text = env[name] ?? '';
    if (!isValid(text)) issues.push(`${name}: ${form}`);
    return text;
  };
  const settings = {
    endpoint: read(
      'S3_ENDPOINT',
      isOrigin,
      'the address of the store, such as https://s3.eu-central-1.amazonaws.com, without a path',
    ),
    region: env['S3_REGION'] || 'us-east-1',
    bucket: read(
      'S3_BUCKET',
      (text) => BUCKET.test(text),
      'the name of a bucket, such as steward-files (3 to 63 lower-case letters, digits, dots and dashes)',
    ),
    prefix: read(
      'S3_PREFIX',
      (text) => text === '' || OBJECT_PREFIX.test(text),
      'letters, digits, dots, dashes and underscores, with slashes between them, such as production/steward',
    ),
    accessKeyId: read('S3_ACCESS_KEY_ID', (text) => text !== '', 'required with BLOB_STORE=s3'),
    secretAccessKey: new Secret(
      read('S3_SECRET_ACCESS_KEY', (text) => text !== '', 'required with BLOB_STORE=s3'),
    ),
    usesPathStyle,
  };
  if (env['DATABASE_URL'] && !env['STEWARD_SECRET_KEY'])
    issues.push(
      'STEWARD_SECRET_KEY: required with BLOB_STORE=s3 and DATABASE_URL, because processes with folders of their own would ' +
        'create different keys; 32 bytes as base64, for example from `openssl rand -base64 32`, or the content of secret.key',
    );
  return settings;
}

/**
 * Reads the settings. An empty one counts as not set, because container files pass on variables that nobody has set; only an empty list of
 * servers in STEWARD_EGRESS_ALLOW has a meaning of its own.
 * @throws ConfigError that lists all invalid settings
 */
export function readConfig(env: Env): Config {
  const issues: string[] = [];
  const dataDir = env['DATA_DIR'] || 'data';
  const host = env['HOST'] || '127.0.0.1';
  const isOn = (name: string, byDefault: 'on' | 'off'): boolean => {
    const text = env[name] || byDefault;
    if (text !== 'on' && text !== 'off') issues.push(`${name}: on or off`);
    return text === 'on';
  };
  /** `what` is the unit or the kind of number in the message. */
  const readNumber = (
    name: string,
    byDefault: number,
    what: string,
    { min, max, isWhole = false }: { min: number; max: number; isWhole?: boolean },
  ): number => {
    const number = Number(env[name] || byDefault);
    // A default that follows from another setting is as valid as that one.
    if (env[name] && !(number >= min && number <= max && (!isWhole || Number.isInteger(number))))
      issues.push(`${name}: ${what} from ${min} to ${max}`);
    return number;
  };
  const port = readNumber('PORT', 4400, 'a number', { min: 0, max: 65_535, isWhole: true });
  const metricsPort = env['METRICS_PORT'] ? Number(env['METRICS_PORT']) : undefined;
  const metricsHost = env['METRICS_HOST'] || '127.0.0.1';
  const isTaken = metricsPort === port && port > 0 && metricsHost === host;
  if (
    metricsPort !== undefined &&
    (isTaken || !(Number.isInteger(metricsPort) && metricsPort >= 0 && metricsPort <= 65_535))
  )
    issues.push('METRICS_PORT: a number from 0 to 65535, another one than PORT');
  const s3 = readS3Settings(env, isOn('S3_PATH_STYLE', 'on'), issues);
  const createsSample = isOn('STEWARD_SAMPLE', 'on');
  const syncsToDisk = isOn('EMBEDDED_FSYNC', 'off');
  const email = env['STEWARD_ADMIN_EMAIL'] || undefined;
  const password = env['STEWARD_ADMIN_PASSWORD'] || undefined;
  if ((email === undefined) !== (password === undefined)) {
    issues.push('STEWARD_ADMIN_EMAIL and STEWARD_ADMIN_PASSWORD: both or neither');
  }
  if (password !== undefined && password.length < 12)
    issues.push('STEWARD_ADMIN_PASSWORD: at least 12 characters');
  const publicUrl = (env['PUBLIC_URL'] || formatHttpAddress(host, port)).replace(/\/+$/, '');
  if (URL.parse(formatHttpAddress(host, 4400)) === null)
    issues.push('HOST: an address or the name of a host, such as 0.0.0.0');
  // The console is served at the root only.
  else if (env['PUBLIC_URL'] && !isOrigin(publicUrl))
    issues.push('PUBLIC_URL: an address such as https://steward.example, with http or https, without a path');
  // A database may be reached by a socket, without a host.
  if (env['DATABASE_URL'] && !isServerUrl(env['DATABASE_URL'])) {
    issues.push(
      `DATABASE_URL: a URL that starts with postgresql://, such as postgresql://user:password@host:5432/steward, ${PASSWORD_HINT}`,
    );
  }
  const readUrl = env['DATABASE_READ_URL'] || undefined;
  if (readUrl !== undefined && !isServerUrl(readUrl))
    issues.push(
      `DATABASE_READ_URL: the URL of a hot standby that starts with postgresql://, such as postgresql://user:password@standby:5432/steward, ${PASSWORD_HINT}`,
    );
  if (readUrl !== undefined && !env['DATABASE_URL'])
    issues.push('DATABASE_READ_URL: only with DATABASE_URL; the embedded database has no standby');
  if (readUrl !== undefined && readUrl === env['DATABASE_URL'])
    issues.push('DATABASE_READ_URL: the URL of a hot standby, another one than DATABASE_URL');
  const isPooled = isOn('DATABASE_POOLED', 'off');
  const maxConnections = readNumber('DATABASE_POOL_SIZE', 10, 'a number of connections', {
    min: 2,
    max: 500,
    isWhole: true,
  });
  const readConnections = readNumber('DATABASE_READ_POOL_SIZE', maxConnections, 'a number of connections', {
    min: 2,
    max: 500,
    isWhole: true,
  });
  const maxLagSeconds = readNumber('DATABASE_READ_MAX_LAG', 10, 'seconds', { min: 1, max: 3_600 });
  const statementSeconds = readNumber('DATABASE_STATEMENT_TIMEOUT', 30, 'seconds', { min: 1, max: 3_600 });
  const waitSeconds = readNumber('DATABASE_CONNECTION_TIMEOUT', 10, 'seconds', { min: 1, max: 60 });
  if (env['SMTP_URL'] && !hasProtocol(env['SMTP_URL'], ['smtp:', 'smtps:']))
    issues.push(
      'SMTP_URL: a URL such as smtp://user:password@mail.example:587?from=steward@example, with smtp or smtps',
    );
  const trustedProxies = (env['TRUSTED_PROXIES'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  for (const proxy of trustedProxies)
    if (!isProxy(proxy))
      issues.push(
        `TRUSTED_PROXIES: ${proxy} is neither an address nor a network; such as 127.0.0.1, 10.0.0.0/8, separated by commas`,
      );
  const secretKey = env['STEWARD_SECRET_KEY'];
  if (secretKey && !parseSecretKey(secretKey))
    issues.push('STEWARD_SECRET_KEY: 32 bytes as base64, for example from `openssl rand -base64 32`');
  const stopDelaySeconds = readNumber('STOP_DELAY', 0, 'seconds', { min: 0, max: MAX_STOP_DELAY_SECONDS });
  const stopTimeoutSeconds = readNumber('STOP_TIMEOUT', DEFAULT_STOP_TIMEOUT_SECONDS, 'seconds', {
    min: 1,
    max: MAX_STOP_TIMEOUT_SECONDS,
  });
  const storageQuota = parseSize(env['STEWARD_STORAGE_QUOTA'] || '10GB');
  if (storageQuota === undefined)
    issues.push('STEWARD_STORAGE_QUOTA: a size such as 500MB, 10GB or 2TB, or off');
  const activityDays = parseDays(env['STEWARD_KEEP_ACTIVITY'] || '98 days', MIN_ACTIVITY_DAYS);
  if (activityDays === undefined)
    issues.push(
      `STEWARD_KEEP_ACTIVITY: at least ${MIN_ACTIVITY_DAYS} days, such as 200 days or 2 years, or off`,
    );
  const auditDays = parseDays(env['STEWARD_KEEP_AUDIT'] || '7 years', MIN_AUDIT_DAYS);
  if (auditDays === undefined)
    issues.push('STEWARD_KEEP_AUDIT: an age such as 400 days or 7 years (at most 100), or off');
  const egressRules = parseEgressRules(env['STEWARD_EGRESS_ALLOW'] ?? 'public');
  if (!egressRules)
    issues.push(
      'STEWARD_EGRESS_ALLOW: `public`, host names, addresses and networks, separated by commas, such as public, login.internal:8443, 10.1.0.0/16',
    );
  const copyHours = env['STEWARD_COPY_HOURS'] ? Number(env['STEWARD_COPY_HOURS']) : undefined;
  if (copyHours !== undefined && !(copyHours >= 1 && copyHours <= 720))
    issues.push('STEWARD_COPY_HOURS: hours from 1 to 720');
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined;
  if (endpoint !== undefined && !hasProtocol(endpoint, ['http:', 'https:']))
    issues.push('OTEL_EXPORTER_OTLP_ENDPOINT: the URL of an OTLP receiver, such as http://127.0.0.1:4318');
  const sampleRatio = readNumber('OTEL_TRACES_SAMPLER_ARG', 1, 'a number', { min: 0, max: 1 });
  const logLevel = LOG_LEVELS.find((level) => level === (env['LOG_LEVEL'] || 'info'));
  if (!logLevel) issues.push(`LOG_LEVEL: one of ${LOG_LEVELS.join(', ')}`);
  if (issues.length > 0) throw new ConfigError(issues);
  return {
    host,
    port,
    dataDir,
    s3,
    databaseUrl: env['DATABASE_URL'] ? new Secret(env['DATABASE_URL']) : undefined,
    syncsToDisk,
    reads:
      readUrl === undefined
        ? undefined
        : {
            databaseUrl: new Secret(readUrl),
            maxConnections: readConnections,
            maxLagMs: maxLagSeconds * 1_000,
          },
    pool: { maxConnections, isPooled },
    limits: { statementMs: statementSeconds * 1_000, waitMs: waitSeconds * 1_000 },
    publicUrl,
    trustedProxies,
    smtpUrl: env['SMTP_URL'] ? new Secret(env['SMTP_URL']) : undefined,
    secretKey: secretKey ? new Secret(secretKey) : undefined,
    firstAdministrator: email && password ? { email, password: new Secret(password) } : undefined,
    egressRules: egressRules ?? [],
    storageQuota: storageQuota ?? null,
    logRetention: { activityDays: activityDays ?? null, auditDays: auditDays ?? null },
    officeProgram: env['STEWARD_OFFICE'] || undefined,
    createsSample,
    stopDelaySeconds,
    stopTimeoutSeconds,
    metrics: metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort },
    copies:
      copyHours === undefined
        ? undefined
        : { folder: env['STEWARD_COPY_DIR'] || join(dataDir, 'copies'), hours: copyHours },
    telemetry: endpoint === undefined ? undefined : { endpoint, sampleRatio },
    logLevel: logLevel ?? 'info',
  };
}
