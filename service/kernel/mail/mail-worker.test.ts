import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, onEachDatabase } from '../../testing/databases.ts';
import { makeSite } from '../../testing/site.ts';
import { type Db, openDatabase, withTransaction } from '../db/database.ts';
import { Secret } from '../secret.ts';
import { createLog } from '../telemetry/log.ts';
import { type MailWorker, startMailWorker } from './mail-worker.ts';
import { claimDueMails, deleteOldMails, markFailed, queueMail } from './mail.store.ts';
import { composePasswordResetMail, composeSetPasswordMail } from './messages.ts';

const log = createLog('silent');
const publicUrl = 'https://steward.example';
const to = 'zoe@northlight.example';
let dataDir = '';
let worker: MailWorker | undefined;
let server: SMTPServer | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'steward-mail-'));
});
afterEach(async () => {
  await worker?.stop();
  await new Promise<void>((done) => (server ? server.close(done) : done()));
  worker = undefined;
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts an SMTP server that collects the mails it accepts, and first rejects `rejections` mails with 451. */
async function startServer(port = 0, rejections = 0): Promise<{ port: number; received: string[] }> {
  const received: string[] = [];
  let remainingRejections = rejections;
  const started = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (remainingRejections-- > 0)
          return done(Object.assign(new Error('Try again later'), { responseCode: 451 }));
        const rcpt = session.envelope.rcptTo.map((address) => address.address).join(',');
        received.push(`RCPT ${rcpt}\n${Buffer.concat(chunks).toString()}`);
        return done();
      });
    },
  });
  server = started;
  await new Promise<void>((done) => void started.listen(port, '127.0.0.1', done));
  const address = started.server.address();
  return { port: typeof address === 'object' && address ? address.port : port, received };
}

const start = (db: Db, smtpUrl?: string, mailLog = log) => {
  worker = startMailWorker({
    db,
    log: mailLog,
    config: { dataDir, publicUrl, smtpUrl: smtpUrl ? new Secret(smtpUrl) : undefined },
  });
  return worker;
};

const queue = (db: Db, subject = 'Hello', text = 'Text\n') =>
  withTransaction(db, {}, (tx) => queueMail(tx, { siteId: null, to, subject, text, ttlHours: 24 }));

const rows = (db: Db) => db.selectFrom('mail').selectAll().orderBy('mail_id').execute();

/** Servers that accept a connection and never finish an answer. */
const HOSTILE = {
  silence: () => {},
  'a line without end': (socket: Socket) => flood(socket, `220-${'x'.repeat(60_000)}`),
  'lines without end': (socket: Socket) => flood(socket, '220-more\r\n'.repeat(6_000)),
} as const;

/** Writes the text for as long as the other side takes it. */
function flood(socket: Socket, text: string): void {
  if (socket.destroyed) return;
  if (socket.write(text)) setImmediate(flood, socket, text);
  else socket.once('drain', () => flood(socket, text));
}

async function startHostileServer(
  serve: (socket: Socket) => void,
): Promise<{ port: number; close(): Promise<unknown> }> {
  const sockets = new Set<Socket>();
  const hostile = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  const address = hostile.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: () => {
      const closed = once(hostile, 'close');
      hostile.close();
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/** Polls until the condition holds. */
async function waitUntil(check: () => Promise<boolean>, ms = 10_000): Promise<void> {
  const end = Date.now() + ms;
  // Polling.
  while (!(await check())) {
    if (Date.now() > end) throw new Error('The condition was not met in time');
    // Polling.
    await sleep(20);
  }
}
const waitUntilAllSent = (db: Db) =>
  waitUntil(async () => (await rows(db)).every((row) => row.sent_at !== null));

onEachDatabase((database) => {
  beforeEach(() => sql`delete from mail`.execute(database().db));

  test('sends a committed mail by SMTP and deletes its text afterwards', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    const { wake } = start(db, `smtp://127.0.0.1:${port}?from=office@northlight.example`);
    await queue(db, 'Grüße für Zoë', 'Ein Link:\nhttps://steward.example/link#x\n');
    wake();
    await waitUntilAllSent(db);
    expect(received).toHaveLength(1);
    expect(received[0]).toContain(`RCPT ${to}\n`);
    expect(received[0]).toContain('From: office@northlight.example');
    expect(received[0]).toMatch(/^Message-ID: <\d+\.\d+@steward\.example>/m);
    expect(received[0]).toContain('https://steward.example/link#x');
    const [row] = await rows(db);
    expect(row).toMatchObject({ attempts: 1, body_text: '', last_error: null });
  });

  test('sends a mail as soon as it is committed, long before the next look for those of other processes', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    start(db, `smtp://127.0.0.1:${port}`);
    await queue(db);
    await waitUntilAllSent(db);
    await queue(db);
    await waitUntil(async () => (await rows(db)).every((row) => row.sent_at !== null), 3_000);
    expect(received).toHaveLength(2);
  });

  test('does not send mails of a rolled-back transaction', async () => {
    const { db } = database();
    const rolledBack = withTransaction(db, {}, async (tx) => {
      await queueMail(tx, { siteId: null, to, subject: 'Never', text: 'Never', ttlHours: 24 });
      throw new Error('rollback');
    });
    await expect(rolledBack).rejects.toThrow('rollback');
    expect(await rows(db)).toEqual([]);
  });

  test('keeps a mail while the server is down and delivers it once afterwards', async () => {
    const { db } = database();
    const { port } = await startServer();
    await new Promise<void>((done) => (server ? server.close(done) : done()));
    server = undefined;
    const { wake } = start(db, `smtp://127.0.0.1:${port}`);
    await queue(db);
    wake();
    await waitUntil(async () => typeof (await rows(db))[0]?.last_error === 'string');
    const [waiting] = await rows(db);
    expect(waiting).toMatchObject({ sent_at: null, attempts: 1 });
    expect(waiting?.last_error).toContain('ECONNREFUSED');
    expect(waiting?.next_attempt_at.getTime()).toBeGreaterThan(Date.now() + 20_000);

    const { received } = await startServer(port, 1);
    // The server rejects the first attempt temporarily and accepts the next.
    const reasons: (string | null)[] = [];
    for (let attempt = 2; attempt <= 5 && (await rows(db))[0]?.sent_at === null; attempt += 1) {
      await sql`update mail set next_attempt_at = now(), last_error = null`.execute(db);
      wake();
      await waitUntil(async () =>
        (await rows(db)).every((row) => row.attempts === attempt && (row.sent_at ?? row.last_error) !== null),
      );
      reasons.push((await rows(db))[0]?.last_error ?? null);
    }
    expect(reasons.some((reason) => reason?.includes('451'))).toBe(true);
    await waitUntilAllSent(db);
    expect(received).toHaveLength(1);
  });

  test('an answer of the server that repeats the recipient is logged without the address', async () => {
    const { db } = database();
    const refusing = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`5.1.1 <${address}>: no such user`), { responseCode: 550 })),
    });
    server = refusing;
    await new Promise<void>((done) => void refusing.listen(0, '127.0.0.1', done));
    const { port } = refusing.server.address() as AddressInfo;
    const lines: string[] = [];
    const capture = createLog('info', { write: (line) => void lines.push(line) });
    const { wake } = start(db, `smtp://127.0.0.1:${port}`, capture);
    await queue(db);
    wake();
    await waitUntil(async () => lines.length > 0);
    expect((await rows(db))[0]?.last_error).toContain(to);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { code: 'EENVELOPE', message: expect.stringContaining('<***>: no such user') as string },
    });
    expect(lines.join('')).not.toContain(to);
  });

  test('sends nothing without TLS if the URL requires it', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    const { wake } = start(db, `smtp://127.0.0.1:${port}?requireTLS=true`);
    await queue(db);
    wake();
    await waitUntil(async () => typeof (await rows(db))[0]?.last_error === 'string');
    expect(received).toEqual([]);
  });

  test('several workers send each mail once', async () => {
    const { db } = database();
    const { port, received } = await startServer();
    for (let index = 0; index < 30; index += 1) {
      await queue(db, `Mail ${index}`);
    }
    const config = { dataDir, publicUrl, smtpUrl: new Secret(`smtp://127.0.0.1:${port}`) };
    const workers = [1, 2, 3].map(() => startMailWorker({ db, log, config }));
    await waitUntilAllSent(db);
    await Promise.all(workers.map((each) => each.stop()));
    const subjects = received.map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1]);
    expect(subjects).toHaveLength(30);
    expect(new Set(subjects).size).toBe(30);
  });

  test('a claim excludes other workers until it lapses; the fence keeps a lapsed claim from rescheduling', async () => {
    const { db } = database();
    await queue(db);
    const [first] = await claimDueMails(db, 4);
    expect(await claimDueMails(db, 4)).toEqual([]);
    await sql`update mail set next_attempt_at = now() - interval '1 second'`.execute(db);
    const [second] = await claimDueMails(db, 4);
    expect(second).toMatchObject({ attempts: 2 });
    if (!first) throw new Error('The mail was due');
    await markFailed(db, first, 'late error');
    expect((await rows(db))[0]?.last_error).toBeNull();
  });

  test('sites take turns: many mails of one site do not delay those of another', async () => {
    const { db } = database();
    const [busy, other] = [await makeSite(db), await makeSite(db)];
    const queueFor = (siteId: number, subject: string) =>
      withTransaction(db, {}, (tx) => queueMail(tx, { siteId, to, subject, text: 'Text', ttlHours: 24 }));
    for (let index = 0; index < 20; index += 1) await queueFor(busy, `Busy ${index}`);
    await queueFor(other, 'Other');
    const claimed = await claimDueMails(db, 4);
    expect(claimed.map(({ subject }) => subject).toSorted()).toEqual(['Busy 0', 'Busy 1', 'Busy 2', 'Other']);
  });

  test('does not send expired mails', async () => {
    const { db } = database();
    await queue(db);
    await sql`update mail set expires_at = now() - interval '1 second'`.execute(db);
    await queue(db, 'Still good');
    expect((await claimDueMails(db, 4)).map(({ subject }) => subject)).toEqual(['Still good']);
    expect(await rows(db)).toMatchObject([{ sent_at: null, attempts: 0 }, { attempts: 1 }]);
    expect((await rows(db))[0]?.last_error).toContain('expired');
  });

  test('mails are deleted after 90 days, but none that is still to be sent', async () => {
    const { db } = database();
    for (const subject of ['Old', 'Waiting', 'New']) await queue(db, subject);
    await sql`update mail set created_at = now() - interval '91 days' where subject <> 'New'`.execute(db);
    await sql`update mail set expires_at = now() - interval '1 day' where subject <> 'Waiting'`.execute(db);
    expect(await deleteOldMails(db)).toBe(false);
    expect((await rows(db)).map(({ subject }) => subject)).toEqual(['Waiting', 'New']);
  });

  test('a mail is due immediately, also when queued in the second half of a millisecond', async () => {
    const { db } = database();
    for (let index = 0; index < 40; index += 1) {
      // Each is claimed before the next is queued.
      await queue(db);
      // Each is claimed before the next is queued.
      expect(await claimDueMails(db, 1)).toHaveLength(1);
    }
  });

  test('a mail whose next attempt would be too late stays with its error and is not retried', async () => {
    const { db } = database();
    await queue(db);
    await sql`update mail set expires_at = now() + interval '2 hours', attempts = 30`.execute(db);
    const [mail] = await claimDueMails(db, 1);
    if (!mail) throw new Error('The mail was due');
    expect(await markFailed(db, mail, '550 no such mailbox')).toBe(false);
    expect(await claimDueMails(db, 1)).toEqual([]);
    const state = await sql<{ isParked: boolean }>`
      select next_attempt_at = 'infinity' and last_error is not null and body_text <> '' as "isParked" from mail`.execute(
      db,
    );
    expect(state.rows).toEqual([{ isParked: true }]);
  });

  test('without SMTP writes each mail to one file that only its owner can read', async () => {
    const { db } = database();
    const { wake } = start(db);
    await queue(db, 'Set your password', 'https://steward.example/link#secret\n');
    wake();
    await waitUntilAllSent(db);
    const files = await readdir(join(dataDir, 'mail'));
    expect(files).toHaveLength(1);
    expect(files[0]).toMatch(/^\d{8}T\d{9}Z-\d+\.eml$/);
    const path = join(dataDir, 'mail', files[0] ?? '');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, 'utf8');
    expect(text).toContain(`To: ${to}`);
    expect(text).toContain('Content-Type: text/plain');
    expect(text).toContain('Content-Type: text/html');
    expect(text).toContain('https://steward.example/link#secret');
  });

  test.each([
    ['a@b.example\r\nBcc: c@d.example', 'ok'],
    ['a@b.example, c@d.example', 'ok'],
    ['Zoë <a@b.example>', 'ok'],
    ['group:a@b.example;', 'ok'],
    ['nobody', 'ok'],
    ['a@b.example', 'ok\nBcc: c@d.example'],
    ['a@b.example', 'ok\u2028more'],
  ])('rejects the address %j with the subject %j', async (address, subject) => {
    const { db } = database();
    const queued = withTransaction(db, {}, (tx) =>
      queueMail(tx, { siteId: null, to: address, subject, text: '', ttlHours: 24 }),
    );
    await expect(queued).rejects.toThrow(/^(A mail needs|The subject)/);
    expect(await rows(db)).toEqual([]);
  });
});

// On the embedded database: its only connection shows that a send holds none.
test.each(Object.entries(HOSTILE))(
  'a server that answers with %s: the mail is tried again and sent once, and meanwhile nothing else waits (F33)',
  { timeout: 120_000 },
  async (_name, serve) => {
    const testDatabase = await createTestDatabase('embedded');
    const { db, close } = await openDatabase(testDatabase);
    const accepted = Promise.withResolvers<void>();
    const hostile = await startHostileServer((socket) => {
      accepted.resolve();
      serve(socket);
    });
    const { wake } = start(db, `smtp://127.0.0.1:${hostile.port}`);
    await queue(db, 'First');
    wake();
    await accepted.promise;
    // The transaction of a request that queues a mail commits.
    await queue(db, 'Second');
    wake();
    await waitUntil(
      async () => (await rows(db)).every(({ last_error }) => typeof last_error === 'string'),
      90_000,
    );
    expect(await rows(db)).toMatchObject([{ sent_at: null }, { sent_at: null }]);
    await hostile.close();
    const { received } = await startServer(hostile.port);
    await sql`update mail set next_attempt_at = now() - interval '1 second'`.execute(db);
    wake();
    await waitUntilAllSent(db);
    expect(received).toHaveLength(2);
    await worker?.stop();
    await close();
    await testDatabase.remove();
  },
);

test('mails contain names as a single line', () => {
  const options = {
    firstName: 'Zoë\r\nBcc: x',
    siteName: 'North\u2028light\u202e',
    link: 'https://steward.example/link#t',
  };
  for (const mail of [composeSetPasswordMail(options), composePasswordResetMail(options)]) {
    expect(mail.subject).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
    expect(mail.text).toContain('Hello Zoë Bcc: x,\n\n');
    expect(mail.text.split('\n')).toContain(options.link);
  }
});
