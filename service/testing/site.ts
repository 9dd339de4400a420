import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
/** Sites, users and credentials for tests, written to the database directly, and API clients that use them. */
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import type { Capability, Scope } from '../../contract/generated/types.gen.ts';
import { capabilities as contractCapabilities } from '../../contract/rules/people/capabilities.ts';
import { createApp, type AppOptions } from '../app.ts';
import { registry } from '../areas/registry.ts';
import { addPlatformAdministrator } from '../areas/sites/index.ts';
import type { AreaRegistry } from '../kernel/area/area.ts';
import { createEncryption } from '../kernel/auth/encryption.ts';
import type { Database, Db } from '../kernel/db/database.ts';
import { loadContract } from '../kernel/http/contract.ts';
import type { Services } from '../kernel/http/handler.ts';
import { createEgress, parseEgressRules } from '../kernel/network/egress.ts';
import { createSecret } from '../kernel/secret.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { createApiClient, type ApiClient } from './calls.ts';
import { onEachDatabase } from './databases.ts';
import { createFolderPlace } from './files/file-place.ts';

export const publicUrl = 'http://steward.test';
/** The data folder of the test services; it does not exist until a file is written. */
export const dataDir = join(tmpdir(), `steward-test-${randomUUID()}`);
export const services: Services = {
  publicUrl,
  ...createFolderPlace(dataDir),
  storageQuota: 10e9,
  logRetention: { activityDays: 98, auditDays: 2_557 },
  installation: {
    copies: { folder: join(dataDir, 'copies'), hours: 6 },
    readChecks: async () => ({
      checkedAt: new Date(),
      findings: [{ check: 'disk', status: 'problem', message: 'Full.', fix: 'Free space.' }],
    }),
  },
  // Identity providers of tests are on this machine.
  egress: createEgress({
    rules: parseEgressRules('127.0.0.1') ?? [],
    log: createLog('silent'),
  }),
  backupSheets: Object.values(registry.sheets),
  mailExamples: registry.mailExamples,
  jobKinds: registry.jobKinds,
  encryption: createEncryption(randomBytes(32)),
  wakeTask: () => {},
};
/** Loaded once per file, so that its validators are compiled once for both databases. */
export const contract = loadContract(new URL('../../contract/openapi.json', import.meta.url));

/** The operations of the console API: all except those with credentials of their own. */
export const consoleOperations = contract.operations.filter(
  ({ id, access }) => id !== 'issueToken' && access !== 'agent',
);

export const allCapabilities: readonly Capability[] = contractCapabilities.map(({ name }) => name);
export const allScopes: readonly Scope[] = ['data', 'user_management', 'publish', 'ri_import', 'backup'];

/** A user of a site with an access token and a session. */
export interface Person {
  siteId: number;
  userId: number;
  email: string;
  groupId: number;
  clientId: number;
  token: string;
  cookie: string;
}

interface PersonOptions {
  capabilities?: readonly Capability[];
  scopes?: readonly Scope[];
  email?: string;
  isActive?: boolean;
  licenseTypeId?: number;
  ipRestrictionsEnabled?: boolean;
  /** The stored password hash; the default matches no password. */
  passwordHash?: string | null;
}

const NO_PASSWORD_FITS = '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA';

/** Creates an empty site. */
export async function makeSite(
  db: Db,
  identityMode: 'password' | 'identity-manager' = 'password',
): Promise<number> {
  const slug = `site-${randomUUID().slice(0, 8)}`;
  const row = await db
    .insertInto('site')
    .values({ slug, name: `Site ${slug}`, identity_mode: identityMode, dedicated_domain: null })
    .returning('site_id')
    .executeTakeFirstOrThrow();
  return row.site_id;
}

/** Creates a group with these capabilities. */
export async function makeGroup(
  db: Db,
  siteId: number,
  capabilities: readonly Capability[] = [],
): Promise<number> {
  const row = await db
    .insertInto('user_group')
    .values({
      site_id: siteId,
      name: `Group ${randomUUID()}`,
      description: null,
      capabilities: [...capabilities],
    })
    .returning('group_id')
    .executeTakeFirstOrThrow();
  return row.group_id;
}

/** Makes an existing account a member of another site, without groups. */
export async function joinSite(
  db: Db,
  siteId: number,
  userId: number,
  options: PersonOptions = {},
): Promise<void> {
  await db
    .insertInto('membership')
    .values({
      site_id: siteId,
      user_id: userId,
      license_type_id: options.licenseTypeId ?? 1,
      is_active: options.isActive ?? true,
      ip_restrictions_enabled: options.ipRestrictionsEnabled ?? false,
      user_entry_id: null,
      created_by: null,
      modified_by: null,
    })
    .execute();
}

/** Creates a session and returns its secret, the value of the cookie. */
export async function openSession(db: Db, siteId: number, userId: number): Promise<string> {
  const secret = createSecret();
  await db
    .insertInto('session')
    .values({
      token_hash: secret.hash,
      site_id: siteId,
      user_id: userId,
      expires_at: sql<Date>`now() + interval '1 hour'`,
      ip: null,
      user_agent: null,
    })
    .execute();
  return secret.plain;
}

/** Creates an active API key. */
export async function makeKey(
  db: Db,
  owner: { siteId: number; userId: number },
  scopes = allScopes,
): Promise<{ clientId: number; secret: string }> {
  const secret = createSecret();
  const row = await db
    .insertInto('api_key')
    .values({ site_id: owner.siteId, user_id: owner.userId, secret_hash: secret.hash, scopes: [...scopes] })
    .returning('client_id')
    .executeTakeFirstOrThrow();
  return { clientId: row.client_id, secret: secret.plain };
}

/** Creates an access token of a key. */
export async function makeToken(
  db: Db,
  key: { siteId: number; userId: number; clientId: number },
  scopes = allScopes,
): Promise<string> {
  const secret = createSecret();
  await db
    .insertInto('access_token')
    .values({
      token_hash: secret.hash,
      client_id: key.clientId,
      site_id: key.siteId,
      user_id: key.userId,
      scopes: [...scopes],
      expires_at: sql<Date>`now() + interval '15 minutes'`,
    })
    .execute();
  return secret.plain;
}

/** Creates a user on the site with a group of their own that grants the capabilities (by default all). */
export async function makePerson(db: Db, siteId: number, options: PersonOptions = {}): Promise<Person> {
  const email = options.email ?? `${randomUUID().slice(0, 13)}@people.test`;
  const { user_id: userId } = await db
    .insertInto('account')
    .values({
      email,
      email_key: email.toLowerCase(),
      first_name: 'Ada',
      last_name: 'Okafor',
      password_hash: options.passwordHash === undefined ? NO_PASSWORD_FITS : options.passwordHash,
      federation_id: null,
      home_site_id: siteId,
    })
    .returning('user_id')
    .executeTakeFirstOrThrow();
  await joinSite(db, siteId, userId, options);
  const groupId = await makeGroup(db, siteId, options.capabilities ?? allCapabilities);
  await db
    .insertInto('group_member')
    .values({ site_id: siteId, group_id: groupId, user_id: userId })
    .execute();
  const { clientId } = await makeKey(db, { siteId, userId }, options.scopes);
  const token = await makeToken(db, { siteId, userId, clientId }, options.scopes);
  return { siteId, userId, email, groupId, clientId, token, cookie: await openSession(db, siteId, userId) };
}

/** Creates a platform administrator on a site of their own: without one, no site may have an identity manager. */
export async function makeOtherPlatformAdministrator(db: Db): Promise<void> {
  const { userId } = await makePerson(db, await makeSite(db));
  await db.transaction().execute((tx) => addPlatformAdministrator(tx, userId));
}

/** An API client for this user: a program with the access token, or the console with the session. */
export function as(
  app: FastifyInstance,
  person: Pick<Person, 'token' | 'cookie'>,
  client: 'program' | 'console' = 'program',
): ApiClient {
  return client === 'program'
    ? createApiClient(app, '', { authorization: `Bearer ${person.token}` })
    : createApiClient(app, '/console', { cookie: `steward=${person.cookie}`, 'x-steward-console': '1' });
}

/** Services available to a block of tests. */
export interface AppContext {
  app: FastifyInstance;
  db: Db;
  database: Database;
}

/** Builds the service on an open database. Every response is validated against the contract. */
export const createTestApp = (
  database: Database,
  options: Partial<AppOptions> = {},
): Promise<FastifyInstance> =>
  createApp({
    database,
    contract,
    services,
    trustedProxies: [],
    log: createLog(process.env['LOG_LEVEL'] ?? 'silent'),
    validateResponses: true,
    ...options,
  });

/**
 * Checks that the areas declare every action in the audit log. The console's sentences are compared with the declared actions
 * (scripts/audit-sentences.test.ts), so an undeclared action would be shown without a sentence.
 */
async function assertDeclaredAuditActions(db: Db, { auditActions }: AreaRegistry = registry): Promise<void> {
  const rows = await db.selectFrom('audit_log').select(['subject_type', 'action']).distinct().execute();
  const undeclared = rows.filter(({ subject_type, action }) => !auditActions[subject_type]?.includes(action));
  if (undeclared.length > 0)
    throw new Error(`No area.ts declares these audit actions: ${JSON.stringify(undeclared)}`);
}

/** Runs the block on each kind of database, with the service on it. Call `context` inside tests and hooks. */
export function onEachApp(
  block: (context: () => AppContext) => void,
  options: Partial<AppOptions> = {},
): void {
  onEachDatabase((database) => {
    let app: FastifyInstance | undefined;
    beforeAll(async () => {
      app = await createTestApp(database(), options);
    });
    afterAll(async () => {
      await app?.close();
      await assertDeclaredAuditActions(database().db, options.registry);
      await rm(dataDir, { recursive: true, force: true });
    });
    block(() => {
      if (!app) throw new Error('The service is open only inside tests and hooks');
      return { app, db: database().db, database: database() };
    });
  });
}
