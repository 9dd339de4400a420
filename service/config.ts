import { secretKeyOf } from './kernel/auth/seals.ts';
import { Secret } from './kernel/secret.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Settings of one service process, read once at start from the environment (README, table of settings). */
export interface Config {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: Secret | undefined;
  /** Where people reach the console; links in mail begin with it. No trailing slash. */
  publicUrl: string;
  /** Addresses or networks (CIDR) of reverse proxies whose X-Forwarded-For counts. */
  trustedProxies: string[];
  smtpUrl: Secret | undefined;
  /** Seals what has to be read again, such as seeds of authenticator apps; without it a file of the data folder does. */
  secretKey: Secret | undefined;
  /** First administrator without the one-time link. */
  firstAdministrator: { email: string; password: Secret } | undefined;
  /** Whether the very first start fills a sample site. */
  sample: boolean;
  logLevel: (typeof LOG_LEVELS)[number];
}

/**
 * Reads the settings. All faults are told at once, each with the name of its variable.
 * @throws Error whose message lists every fault, one a line
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];
  const host = env['HOST'] ?? '127.0.0.1';
  const port = Number(env['PORT'] ?? 4400);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) faults.push('PORT: a number from 0 to 65535');
  const sample = env['STEWARD_SAMPLE'] ?? 'on';
  if (sample !== 'on' && sample !== 'off') faults.push('STEWARD_SAMPLE: on or off');
  const email = env['STEWARD_ADMIN_EMAIL'];
  const password = env['STEWARD_ADMIN_PASSWORD'];
  if ((email === undefined) !== (password === undefined)) {
    faults.push('STEWARD_ADMIN_EMAIL and STEWARD_ADMIN_PASSWORD: both or neither');
  }
  if (password !== undefined && password.length < 12)
    faults.push('STEWARD_ADMIN_PASSWORD: at least 12 characters');
  const publicUrl = (
    env['PUBLIC_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  ).replace(/\/+$/, '');
  if (!URL.canParse(publicUrl)) faults.push('PUBLIC_URL: an address such as https://steward.example');
  if (env['DATABASE_URL'] && !/^postgres(ql)?:\/\//.test(env['DATABASE_URL'])) {
    faults.push('DATABASE_URL: an address that begins with postgresql://');
  }
  const secretKey = env['STEWARD_SECRET_KEY'];
  if (secretKey && !secretKeyOf(secretKey))
    faults.push('STEWARD_SECRET_KEY: 32 bytes as base64, for instance of `openssl rand -base64 32`');
  const logLevel = LOG_LEVELS.find((level) => level === (env['LOG_LEVEL'] ?? 'info'));
  if (!logLevel) faults.push(`LOG_LEVEL: one of ${LOG_LEVELS.join(', ')}`);
  if (faults.length > 0) throw new Error(`These settings need a change:\n  ${faults.join('\n  ')}`);
  return {
    host,
    port,
    dataDir: env['DATA_DIR'] ?? 'data',
    databaseUrl: env['DATABASE_URL'] ? new Secret(env['DATABASE_URL']) : undefined,
    publicUrl,
    trustedProxies: (env['TRUSTED_PROXIES'] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
    smtpUrl: env['SMTP_URL'] ? new Secret(env['SMTP_URL']) : undefined,
    secretKey: secretKey ? new Secret(secretKey) : undefined,
    firstAdministrator: email && password ? { email, password: new Secret(password) } : undefined,
    sample: sample === 'on',
    logLevel: logLevel ?? 'info',
  };
}
