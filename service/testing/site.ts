/** Sites, people and their credentials for tests, made in the database directly, and calls as one of them. */
import type { FastifyInstance } from 'fastify';
import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import type { Capability, Scope } from '../../contract/generated/types.gen.ts';
import { capabilities as allCapabilities } from '../../contract/rules/capabilities.ts';
import { createApp, type AppOptions } from '../app.ts';
import { grantPlatform } from '../areas/sites/index.ts';
import { sealsOf } from '../kernel/auth/seals.ts';
import type { Database, Db } from '../kernel/db/database.ts';
import { loadContract } from '../kernel/http/contract.ts';
import type { Services } from '../kernel/http/handler.ts';
import { createLog } from '../kernel/log.ts';
import { newSecret } from '../kernel/secret.ts';
import { callsWith, type Calls } from './calls.ts';
import { onEachDatabase } from './databases.ts';

export const publicUrl = 'http://steward.test';
/** The data folder of the services of these tests; empty until one of them writes a file. */
export const dataDir = join(tmpdir(), `steward-test-${randomUUID()}`);
export const services: Services = {
  publicUrl,
  dataDir,
  seals: sealsOf(randomBytes(32)),
  wakeMail: () => {},
  wakeChore: () => {},
};
/** Loaded once in a file: its validators are compiled once for both databases. */
export const contract = loadContract(new URL('../../contract/openapi.json', import.meta.url));

export const everything: readonly Capability[] = allCapabilities.map(({ name }) => name);
export const everyScope: readonly Scope[] = ['data', 'user_management', 'publish', 'ri_import', 'backup'];

/** Somebody on a site with an access token and a session of their own. */
export interface Person {
  siteId: number;
  userId: number;
  email: string;
  groupId: number;
  clientId: number;
  token: string;
  cookie: string;
}

interface Traits {
  capabilities?: readonly Capability[];
  scopes?: readonly Scope[];
  email?: string;
  isActive?: boolean;
  licenseTypeId?: number;
  ipRestrictionsEnabled?: boolean;
  /** The stored text of a password; by default one that no password fits. */
  passwordHash?: string | null;
}

const NO_PASSWORD_FITS = '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA';

/** A new, empty site. */
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

/** A group of a site with these capabilities. */
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
      entry_id: null,
    })
    .returning('group_id')
    .executeTakeFirstOrThrow();
  return row.group_id;
}

/** Makes somebody who has an account a member of one more site, without groups. */
export async function joinSite(db: Db, siteId: number, userId: number, traits: Traits = {}): Promise<void> {
  await db
    .insertInto('membership')
    .values({
      site_id: siteId,
      user_id: userId,
      license_type_id: traits.licenseTypeId ?? 1,
      is_active: traits.isActive ?? true,
      ip_restrictions_enabled: traits.ipRestrictionsEnabled ?? false,
      user_entry_id: null,
      created_by: null,
      modified_by: null,
    })
    .execute();
}

/** A new session of somebody: its secret, as the cookie carries it. */
export async function openSession(db: Db, siteId: number, userId: number): Promise<string> {
  const secret = newSecret();
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

/** An API key that is on: its id and secret. */
export async function makeKey(
  db: Db,
  who: { siteId: number; userId: number },
  scopes = everyScope,
): Promise<{ clientId: number; secret: string }> {
  const secret = newSecret();
  const row = await db
    .insertInto('api_key')
    .values({ site_id: who.siteId, user_id: who.userId, secret_hash: secret.hash, scopes: [...scopes] })
    .returning('client_id')
    .executeTakeFirstOrThrow();
  return { clientId: row.client_id, secret: secret.plain };
}

/** An access token of a key. */
export async function makeToken(
  db: Db,
  who: { siteId: number; userId: number; clientId: number },
  scopes = everyScope,
): Promise<string> {
  const secret = newSecret();
  await db
    .insertInto('access_token')
    .values({
      token_hash: secret.hash,
      client_id: who.clientId,
      site_id: who.siteId,
      user_id: who.userId,
      scopes: [...scopes],
      expires_at: sql<Date>`now() + interval '15 minutes'`,
    })
    .execute();
  return secret.plain;
}

/** Somebody new on the site, who has a group of their own with their capabilities (by default all of them). */
export async function makePerson(db: Db, siteId: number, traits: Traits = {}): Promise<Person> {
  const email = traits.email ?? `${randomUUID().slice(0, 13)}@people.test`;
  const { user_id: userId } = await db
    .insertInto('account')
    .values({
      email,
      email_key: email.toLowerCase(),
      first_name: 'Ada',
      last_name: 'Okafor',
      password_hash: traits.passwordHash === undefined ? NO_PASSWORD_FITS : traits.passwordHash,
      federation_id: null,
      home_site_id: siteId,
    })
    .returning('user_id')
    .executeTakeFirstOrThrow();
  await joinSite(db, siteId, userId, traits);
  const groupId = await makeGroup(db, siteId, traits.capabilities ?? everything);
  await db
    .insertInto('group_member')
    .values({ site_id: siteId, group_id: groupId, user_id: userId })
    .execute();
  const { clientId } = await makeKey(db, { siteId, userId }, traits.scopes);
  const token = await makeToken(db, { siteId, userId, clientId }, traits.scopes);
  return { siteId, userId, email, groupId, clientId, token, cookie: await openSession(db, siteId, userId) };
}

/** Somebody else who runs the platform, from a site of their own: without one no site may have an identity manager. */
export async function makeRunnerElsewhere(db: Db): Promise<void> {
  const { userId } = await makePerson(db, await makeSite(db));
  await db.transaction().execute((tx) => grantPlatform(tx, userId));
}

/** Calls as this person: as a program with the access token, or as the console with the session. */
export function as(
  app: FastifyInstance,
  person: Pick<Person, 'token' | 'cookie'>,
  door: 'program' | 'console' = 'program',
): Calls {
  return door === 'program'
    ? callsWith(app, '', { authorization: `Bearer ${person.token}` })
    : callsWith(app, '/console', { cookie: `steward=${person.cookie}`, 'x-steward-console': '1' });
}

/** What a block of tests works with. */
export interface House {
  app: FastifyInstance;
  db: Db;
  database: Database;
}

/** The whole service over an open database; every answer is held against the contract. */
export const openApp = (database: Database, options: Partial<AppOptions> = {}): Promise<FastifyInstance> =>
  createApp({
    database,
    contract,
    services,
    trustedProxies: [],
    log: createLog(process.env['LOG_LEVEL'] ?? 'silent'),
    checkAnswers: true,
    ...options,
  });

/** Runs the block on each kind of database, with the service on it. Call the given function inside tests and hooks. */
export function onEachApp(block: (house: () => House) => void, options: Partial<AppOptions> = {}): void {
  onEachDatabase((database) => {
    let app: FastifyInstance | undefined;
    beforeAll(async () => {
      app = await openApp(database(), options);
    });
    afterAll(async () => {
      await app?.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    block(() => {
      if (!app) throw new Error('The service is open only inside tests and hooks');
      return { app, db: database().db, database: database() };
    });
  });
}
